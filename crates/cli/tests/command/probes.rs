//! Probes: how they are defined, listed and removed.

use crate::common::*;
use crate::functions::{NOPS, path, session};
use std::path::PathBuf;

/// Sells something three times.
const SHOP: &str = "
#include <stdio.h>
struct item { int id; const char *name; long prices[3]; };
__attribute__((noinline)) long pay(int count, const struct item *item)
{ asm volatile(\"\" ::: \"memory\"); return count * item->prices[1]; }
int main(void)
{
	struct item item = { 7, \"hat\", { 10, 20, 30 } };
	long sum = 0;
	for (int count = 1; count <= 3; count++)
		sum += pay(count, &item);
	printf(\"%ld\\n\", sum);
	return 0;
}
";

fn shop(scratch: &Scratch) -> PathBuf {
    let (source, program) = (scratch.write("shop.c", SHOP), scratch.path("shop"));
    run(scratch.command("gcc").args(["-O2", "-o"]).arg(&program).arg(&source)).success();
    program
}

pub fn probe(scratch: &Scratch, place: &str, arguments: &[&str]) -> Outcome {
    run(&mut scratch.lookback(&[&["probe", "--session", place], arguments].concat()))
}

#[test]
fn probes_are_defined_listed_and_removed() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let probe = |arguments: &[&str]| probe(&scratch, &place, arguments);
    let pay = format!("{}:pay n=$arg1:s32 name=+0(+8($arg2)):string", path(&program));
    let said = probe(&[&pay, "./shop:pay%return $retval:s64"]).success().stderr;
    assert!(said.contains("probe_shop:pay at ") && said.contains("probe_shop:pay__return on"), "{said}");
    // The name is another one where the arguments are, and what is there already is not defined again.
    assert!(probe(&["./shop:pay"]).success().stderr.contains("probe_shop:pay_1 at "));
    probe(&[&pay]).failure(125, &["There is already the exact same probe event"]);
    for libraries in [None, Some(""), Some("/usr/lib")] {
        let mut command = scratch.lookback(&["probe", "--session", &place, "p:sales/paid shop:0x10 %di"]);
        let command = match libraries {
            Some(libraries) => command.env("LD_LIBRARY_PATH", libraries),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
        run(command).failure(125, &["shop: neither a program in $PATH nor a library"]);
    }
    probe(&["p:sales/paid ./shop:0x10 %di"]).success();
    let script = scratch.write_program("sell", "#!/bin/sh\nexec ./shop\n");
    let mut scripted = scratch.lookback(&["probe", "--session", &place, "sell:pay"]);
    let directories = format!("{}:/usr/bin:/bin", script.parent().unwrap().display());
    run(scripted.env("PATH", directories)).failure(125, &["sell is no program for x86-64"]);
    let list = probe(&["--list"]).success().stdout;
    let events: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    let expected = ["EVENT", "probe_shop:pay", "probe_shop:pay__return", "probe_shop:pay_1", "sales:paid"];
    assert_eq!(events, expected);
    assert!(list.contains(" n=$arg1:s32 name=+0(+8($arg2)):string\n"), "{list}");
    let json = probe(&["--list", "--json"]).success().stdout;
    assert!(json.contains("\"event\":\"sales:paid\",\"enabled\":false,\"hits\":0"), "{json}");

    run(&mut scratch.lookback(&["set", "-q", "--session", &place, "probe_shop:pay", "on"])).success();
    probe(&["--del", "probe_shop:pay*"]).failure(125, &["probe_shop:pay is enabled, or has triggers"]);
    run(&mut scratch.lookback(&["set", "-q", "--session", &place, "probe_shop:pay", "off"])).success();
    probe(&["--del", "probe_shop:*", "-d", "paid"]).success();
    assert!(probe(&["--list"]).success().stdout.starts_with("no probes"));
    probe(&["--del", "paid"]).failure(125, &["has no such probe"]);
}

#[test]
fn what_is_wrong_with_a_definition_is_marked() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let program = path(&program);
    for (arguments, error, mark) in [
        ("%xx", "Invalid register name", "%xx"),
        ("n=$arg1:int", "Unknown type is specified", "int"),
        ("a=%di a=%si", "This argument name is already used", "a=%si"),
    ] {
        let said = probe(&scratch, &place, &[&format!("{program}:pay {arguments}")]);
        let lines = said.failure(125, &[error]).stderr.clone();
        let line = format!("  p:probe_shop/pay {program}:pay {arguments}");
        let marked = format!("{line}\n{:column$}^\n", "", column = line.rfind(mark).unwrap());
        assert!(lines.contains(&marked), "{lines}");
    }
    for (definition, error) in [
        (format!("{program}:nosuch"), "Invalid probed address or symbol"),
        (format!("{program}:pay+1000"), "Invalid probed address or symbol"),
        (format!("{program}:pay+1%return"), "Retprobe address must be an function entry"),
        (format!("{program}:pay+1 $arg1"), "$arg* can be used only on function entry or exit"),
        ("./nosuch:pay".to_string(), "Failed to find the given file"),
        (".:pay".to_string(), "neither a program in $PATH nor a library"),
        ("shop".to_string(), "\"shop\" is no place: expected FILE:FUNC, or FILE:OFFSET"),
        (format!("p:a/b/c {program}:pay"), "Event name must follow the same rules as C identifiers"),
    ] {
        probe(&scratch, &place, &[&definition]).failure(125, &[error]);
    }
    assert!(probe(&scratch, &place, &["--list"]).success().stdout.starts_with("no probes"));
}

#[test]
fn libraries_are_found_by_their_names() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    probe(&scratch, &place, &["libc.so.6:malloc size=$arg1:u64"]).success();
    let list = probe(&scratch, &place, &["--list"]).success().stdout;
    assert!(list.contains("probe_libc:malloc ") && list.contains("/libc.so.6:0x"), "{list}");
}

/// The events of probes in a text: their names and arguments, without addresses.
pub fn probed(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (before, arguments) = line.split_once(')')?;
        let (before, _) = before.split_once(": (0x")?;
        Some(format!("{}:{arguments}", before.rsplit(' ').next()?))
    };
    text.lines().filter_map(of_line).collect()
}

#[test]
fn calls_and_returns_are_recorded_with_what_is_there() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let pay = "./shop:pay n=$arg1:s32 id=+0($arg2):s32 name=+0(+8($arg2)):string prices=+16($arg2):s64[3] \
               bad=+0($arg1):string worse=+0(%di):u32 comm=$comm five=\\5:u8 bits=+16($arg2):b3@1/8";
    let options = ["--probe", pay, "--probe", "./shop:pay%return sum=$retval:s64"];
    let output = run(&mut scratch.record(&options, &[path(&program)])).success();
    assert_eq!(output.stdout, "120\n");
    let report = run(&mut scratch.report(&[])).success().stdout;
    let expected: Vec<String> = (1..=3)
        .flat_map(|n| {
            let call = format!(
                "pay: n={n} id=7 name=\"hat\" prices={{10,20,30}} bad=(fault) worse=0 comm=\"shop\" five=5 bits=5"
            );
            [call, format!("pay__return: sum={}", n * 20)]
        })
        .collect();
    assert_eq!(probed(&report), expected, "{report}");
    // Nothing else was asked for.
    assert_eq!(report.lines().filter(|line| !line.starts_with('#')).count(), 6, "{report}");
}

/// Has numbers in its registers at a place and at the call of a function, three times.
const REGISTERS: &str = r#"
__attribute__((noinline)) long take(long a, long b, long c, long d, long e, long f)
{ asm volatile("" ::: "memory"); return a + b + c + d + e + f; }
int main(void)
{
	for (int round = 0; round < 3; round++) {
		asm volatile("mov $0x1122334455667788, %%rdi\n mov $-2, %%rsi\n mov $0x8001, %%rdx\n"
			"mov $0x123456789abcdef0, %%rcx\n mov $0x90, %%r8\n mov $-3, %%r15\n .balign 8\n"
			".globl place\n place: .byte 0x48, 0x8d, 0x80, 0, 0, 0, 0\n"
			::: "rdi", "rsi", "rdx", "rcx", "r8", "r15", "memory");
		take(0x1122334455667788, -2, 0x8001, 0x123456789abcdef0, 0x90, -3);
	}
	return 0;
}
"#;

/// What is nothing but numbers in registers is recorded by a fast path: the events are the same.
#[test]
fn numbers_in_registers_are_recorded_as_others() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("registers.c", REGISTERS), scratch.path("registers"));
    // So that a probe has a place at the call, wherever the program is mapped.
    run(scratch.command("gcc").args(["-O1", NOPS, "-o"]).arg(&program).arg(&source)).success();
    let names = run(scratch.command("nm").arg(&program)).success().stdout;
    let place =
        names.lines().find_map(|line| line.strip_suffix(" t place").or(line.strip_suffix(" T place")));
    let place = format!("0x{}", place.unwrap().trim_start_matches('0'));
    let both = [
        ("", ""),
        ("a=%di:u8 b=%si:s16 c=%dx:x64 d=%cx:u32 e=%r8:s8", "a=136 b=-2 c=0x8001 d=2596069104 e=-112"),
        ("a=%r8:u16 b=%di:x64 c=%di:x64", "a=144 b=0x1122334455667788 c=0x1122334455667788"),
        ("a=%cx:x32 b=%si:s8 c=%cx:x32", "a=0x9abcdef0 b=-2 c=0x9abcdef0"),
        ("a=%di:u8 b=%di:u8 c=%di:u8 d=%di:u8 e=%di:u8 f=%si:s64", "a=136 b=136 c=136 d=136 e=136 f=-2"),
    ];
    let anywhere = both.iter().chain(&[("a=%r15:s64", "a=-3")]).map(|case| (place.as_str(), case));
    let calls =
        both.iter().chain(&[("a=%r9:s32 b=$arg1:x32", "a=-3 b=0x55667788")]).map(|case| ("take", case));
    for (place, (arguments, expected)) in anywhere.chain(calls) {
        // With the name of the thread it is recorded as any other.
        for (added, said) in [("", ""), (" comm=$comm", " comm=\"registers\"")] {
            let probe = format!("p:set/at {}:{place} {arguments}{added}", path(&program));
            run(&mut scratch.record(&["--probe", &probe], &[path(&program)])).success();
            let report = run(&mut scratch.report(&[])).success().stdout;
            let events = report.lines().filter_map(|line| line.split_once(" at: ")?.1.split_once(')'));
            let shown: Vec<&str> = events.map(|(_, shown)| shown.trim()).collect();
            assert_eq!(
                shown,
                [format!("{expected}{said}").trim(); 3],
                "{place} {arguments}{added}: {report}"
            );
        }
    }
}

#[test]
fn filters_and_triggers_of_probes_are_those_of_other_events() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let set = |words: &[&str]| {
        run(&mut scratch.lookback(&[&["set", "-q", "--session", &place], words].concat())).success();
    };
    probe(&scratch, &place, &["./shop:pay n=$arg1:s32"]).success();
    set(&["probe_shop:pay", "on", "if", "n > 1"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let trace = run(&mut scratch.lookback(&["show", "--session", &place])).success().stdout;
    assert_eq!(probed(&trace), ["pay: n=2", "pay: n=3"], "{trace}");
    // As in the kernel, those that a filter has rejected are hits.
    let profile =
        run(&mut scratch.lookback(&["get", "--session", &place, "uprobe_profile"])).success().stdout;
    let words: Vec<&str> = profile.split_whitespace().collect();
    assert_eq!(words, [path(&program), "pay", "3"]);
    set(&["-B", "flight", "events/probe_shop/pay/trigger", "traceoff if n == 2"]);
    run(&mut scratch.lookback(&["clear", "--session", &place])).success();
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let trace = run(&mut scratch.lookback(&["show", "--session", &place])).success().stdout;
    assert_eq!(probed(&trace), ["pay: n=2"], "{trace}");
}

#[test]
fn a_probe_that_was_removed_is_gone_from_the_lists_and_its_events_stay() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let place = session(&scratch, &["--probe", "./shop:pay n=$arg1:s32"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    run(&mut scratch.lookback(&["set", "-q", "--session", &place, "probe_shop:pay", "off"])).success();
    probe(&scratch, &place, &["--del", "probe_shop:pay"]).success();
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let trace = run(&mut scratch.lookback(&["show", "--session", &place])).success().stdout;
    assert_eq!(probed(&trace), ["pay: n=1", "pay: n=2", "pay: n=3"], "{trace}");
    let available =
        run(&mut scratch.lookback(&["get", "--session", &place, "available_events"])).success().stdout;
    assert!(!available.contains("probe_shop"), "{available}");
}

/// One that is defined for a recording is not left in the session that was recorded.
#[test]
fn probes_of_a_recording_go_with_it() {
    let scratch = Scratch::new();
    let program = shop(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let options =
        ["--session", &place, "--probe", "p:sales/paid ./shop:pay n=$arg1:s32", "-e", "sales:paid if n > 2"];
    run(&mut scratch.record(&options, &[path(&program)])).success();
    let report = run(&mut scratch.report(&["-e", "sales:"])).success().stdout;
    assert_eq!(probed(&report), ["paid: n=3"], "{report}");
    assert!(probe(&scratch, &place, &["--list"]).success().stdout.starts_with("no probes"));
    let none = run(&mut scratch.record(&["--probe", "./shop:nosuch"], &[path(&program)]));
    none.failure(125, &["Invalid probed address or symbol"]);
}

#[test]
fn what_can_not_be_placed_is_said() {
    let scratch = Scratch::new();
    shop(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let said = |definition: &str| probe(&scratch, &place, &[definition]).success().stderr;
    assert!(!said("./shop:pay").contains("can't be recorded"));
    assert!(
        said("./shop:0x99999").contains("can't be recorded: ") && said("./shop:0x0").contains("can't be")
    );
    assert!(said("p ./shop:main+1").contains("no instruction begins there"));
}

/// Has a place for USDT, with a semaphore: what the macros of `sys/sdt.h` make.
const MARKED: &str = "
unsigned short counter __attribute__((section(\".probes\")));
__asm__(\".section .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n.weak _.stapsdt.base\\n\"
	\"_.stapsdt.base: .space 1\\n.previous\\n\");
int main(void)
{
	__asm__ volatile(\"990: nop\\n.pushsection .note.stapsdt,\\\"\\\",\\\"note\\\"\\n.balign 4\\n\"
		\".4byte 992f-991f, 994f-993f, 3\\n991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n\"
		\"993: .8byte 990b, _.stapsdt.base, counter\\n.asciz \\\"shop\\\"\\n.asciz \\\"paid\\\"\\n\"
		\".asciz \\\"-4@%edi 8@-8(%rbp) 8f@%xmm0\\\"\\n994: .balign 4\\n.popsection\");
	return 0;
}
";

#[test]
fn places_that_authors_have_marked_are_listed() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("marked.c", MARKED), scratch.path("marked"));
    run(scratch.command("gcc").args(["-no-pie", "-O1", "-o"]).arg(&program).arg(&source)).success();
    let list = run(&mut scratch.lookback(&["list", "--usdt", path(&program)])).success().stdout;
    assert!(list.starts_with("sdt_shop:paid [marked] 0x1") && list.contains("(0x"), "{list}");
    assert!(list.ends_with(") arg1=%di:s32 arg2=-8(%bp):u64 arg3=?\n"), "{list}");
    let json = run(&mut scratch.lookback(&["list", "--json", "--usdt", path(&program)])).success().stdout;
    assert!(json.contains("\"arguments\":[\"%di:s32\",\"-8(%bp):u64\",null]"), "{json}");
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let mapped = run(&mut scratch.lookback(&["list", "--session", &place, "--usdt"])).success().stdout;
    assert!(mapped.contains(&list), "{mapped}");
    let none = run(&mut scratch.lookback(&["list", "--usdt", path(&source)]));
    none.failure(125, &["expected a program or a library for x86-64"]);
}

/// Comes to a place for USDT three times, if anybody traces there.
const SELLING: &str = "
#include <stdio.h>
#include <unistd.h>
volatile unsigned short counter __attribute__((section(\".probes\")));
__asm__(\".section .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n.weak _.stapsdt.base\\n\"
	\"_.stapsdt.base: .space 1\\n.previous\\n\");
int main(void)
{
	for (int count = 1; count <= 3; count++) {
		getppid();
		if (counter)
			__asm__ volatile(\"990: nop\\n.pushsection .note.stapsdt,\\\"\\\",\\\"note\\\"\\n.balign 4\\n\"
				\".4byte 992f-991f, 994f-993f, 3\\n991: .asciz \\\"stapsdt\\\"\\n992: .balign 4\\n\"
				\"993: .8byte 990b, _.stapsdt.base, counter\\n.asciz \\\"shop\\\"\\n.asciz \\\"sold\\\"\\n\"
				\".asciz \\\"-4@%%eax 8@%%rdi\\\"\\n994: .balign 4\\n.popsection\\n\"
				\".byte 0x48, 0x8d, 0x80, 0, 0, 0, 0\\n .byte 0x48, 0x8d, 0x80, 0, 0, 0, 0\" :: \"a\"(count), \"D\"(\"hat\"));
	}
	printf(\"%d\\n\", counter);
	return 0;
}
";

#[test]
fn places_that_authors_have_marked_are_recorded_by_their_names() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("selling.c", SELLING), scratch.path("selling"));
    run(scratch.command("gcc").args(["-O2", "-o"]).arg(&program).arg(&source)).success();
    let none = run(&mut scratch.lookback(&["record", "--probe", "./selling:sdt_shop:bought", "--", "true"]));
    none.failure(125, &["no place sdt_shop:bought in"]);
    let file = scratch.path("trace.dat");
    let probe = ["--probe", "./selling:sdt_shop:sold"];
    let record = [&["record", "-o", path(&file)], &probe[..], &["--", path(&program)]].concat();
    // Its counter is raised while it is traced.
    assert_eq!(run(&mut scratch.lookback(&record)).success().stdout, "1\n");
    assert_eq!(run(&mut scratch.command(path(&program))).success().stdout, "0\n");
    let text = run(&mut scratch.lookback(&["report", path(&file)])).success().stdout;
    let sold: Vec<&str> = text.lines().filter_map(|line| line.split(" sold: ").nth(1)).collect();
    assert_eq!(sold.len(), 3, "{text}");
    assert!(
        sold.iter().zip(1..).all(|(line, count)| line.contains(&format!("arg1={count} arg2="))),
        "{text}"
    );
}
