//! Functions of programs that nobody has built for tracing.

use crate::common::*;
use crate::functions::{STORM, calls, path, session};
use std::path::PathBuf;

/// Calls functions whose first instructions are of all kinds. `spin` is one that can't be traced: its loop
/// begins with its first instruction. Waits until a file is there between two rounds.
const PLAIN: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int spin(int n);
__asm__(\".text\\n.globl spin\\n.type spin, @function\\nspin:\\n.cfi_startproc\\n\"
	\"sub $1, %edi\\njg spin\\nmov %edi, %eax\\nret\\n.cfi_endproc\\n.size spin, . - spin\\n\");
__attribute__((noinline)) int leaf(int x) { asm(\"\"); return x * 3 + 1; }
__attribute__((noinline)) long framed(long a, long b) { volatile long kept[20]; kept[3] = a; return kept[3] + b + leaf(b); }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
int main(int count, char **words)
{
	long sum = 0;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < atoi(words[1]); i++)
			sum += middle(i) + framed(i, 2) + spin(3);
		while (count > 2 && access(words[2], F_OK))
			usleep(1000);
	}
	printf(\"%ld\\n\", sum);
	return 0;
}
";

fn built(scratch: &Scratch, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (source, program) = (scratch.write(&format!("{name}.c"), source), scratch.path(name));
    run(scratch.command("gcc").args(flags).arg("-o").arg(&program).arg(&source)).success();
    program
}

const OPTIMIZED: &[&[&str]] = &[&["-O2"], &["-O0"], &["-O2", "-fcf-protection"]];

#[test]
fn functions_that_are_named_are_traced_in_a_program_that_was_not_built_for_it() {
    let scratch = Scratch::new();
    for flags in OPTIMIZED {
        let program = built(&scratch, "plain", PLAIN, flags);
        let expected = run(scratch.command(path(&program)).arg("3")).success().stdout;
        let options = ["-p", "function", "-l", "leaf", "-l", "framed"];
        let output = run(&mut scratch.record(&options, &[path(&program), "3"])).success();
        assert_eq!(output.stdout, expected, "{flags:?}");
        let report = run(&mut scratch.report(&[])).success().stdout;
        let round = ["leaf <-middle", "leaf <-middle", "framed <-main", "leaf <-framed"];
        assert_eq!(calls(&report), round.repeat(6), "{flags:?}");
    }
}

#[test]
fn their_calls_and_returns_are_nested() {
    let scratch = Scratch::new();
    for flags in OPTIMIZED {
        let program = built(&scratch, "plain", PLAIN, flags);
        let options = ["-p", "function_graph", "-l", "leaf", "-l", "*amed:mod:plain"];
        run(&mut scratch.record(&options, &[path(&program), "1"])).success();
        let report = run(&mut scratch.report(&[])).success().stdout;
        let names = report.lines().filter_map(|line| line.split_once('|')).map(|(_, text)| text.trim_end());
        let names: Vec<&str> =
            names.filter(|text| text.contains("()") && !text.contains("register")).collect();
        let round = ["  leaf();", "  leaf();", "  framed() {", "    leaf();"];
        assert_eq!(names, round.repeat(2), "{flags:?}: {report}");
    }
}

#[test]
fn a_program_has_the_name_of_its_file_whatever_link_leads_there() {
    let scratch = Scratch::new();
    let program = built(&scratch, "plain", PLAIN, &["-O2", "-g"]);
    let link = scratch.path("linked");
    std::os::unix::fs::symlink(&program, &link).unwrap();
    for (rule, count) in [("framed:mod:plain", 2), ("framed:mod:linked", 0)] {
        run(&mut scratch.record(&["-p", "function", "-l", rule], &[path(&link), "1"])).success();
        assert_eq!(calls(&run(&mut scratch.report(&[])).success().stdout).len(), count, "{rule}");
    }
}

#[test]
fn what_they_are_called_with_is_recorded() {
    let scratch = Scratch::new();
    let program = built(&scratch, "plain", PLAIN, &["-O2", "-g"]);
    let options = ["-p", "function", "--func-args", "-l", "framed"];
    run(&mut scratch.record(&options, &[path(&program), "2"])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let round = ["framed(a=0, b=2) <-main", "framed(a=1, b=2) <-main"];
    assert_eq!(calls(&report), round.repeat(2), "{report}");
}

/// Functions that begin with a jump, a return, and with instructions in two words, near padding: of five
/// bytes, and of two for which there is no space near their own jumps.
const SHORT: &str = "
int aliased(int x), empty(int x), in_two_words(void), short_one(int x);
#define FUNCTION(name, code) \".globl \" name \"\\n.type \" name \", @function\\n\" name \":\\n.cfi_startproc\\n\" \\
	code \"\\n.cfi_endproc\\n.size \" name \", . - \" name \"\\n.p2align 4\\n\"
__asm__(\".text\\n.p2align 4\\n\"
	FUNCTION(\"aliased\", \"jmp leaf\")
	FUNCTION(\"empty\", \"ret\")
	\".nops 5\\n\" FUNCTION(\"in_two_words\", \"mov $7, %eax\\nret\")
	FUNCTION(\"short_one\", \"mov %edi, %eax\\nret\"));
__attribute__((noinline)) int leaf(int x) { asm(\"\"); return x * 3 + 1; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
		empty(i);
		sum += aliased(i) + in_two_words() + short_one(i);
	}
	__builtin_printf(\"%d\\n\", sum);
	return 0;
}
";

#[test]
fn those_that_begin_with_a_jump_or_a_return_or_lie_in_two_words_are_traced() {
    let scratch = Scratch::new();
    let program = built(&scratch, "short", SHORT, &["-O2"]);
    let expected = run(&mut scratch.command(path(&program))).success().stdout;
    // The jump leaves nothing on the stack.
    let round = ["empty", "aliased", "leaf", "in_two_words", "short_one"];
    let chosen: Vec<&str> = round.iter().flat_map(|name| ["-l", name]).collect();
    let report = |tracer: &str| {
        let options = [&["-q", "-b", "4096", "-p", tracer][..], &chosen].concat();
        let output = run(&mut scratch.record(&options, &[path(&program)])).success();
        assert_eq!((&output.stdout, &output.stderr), (&expected, &String::new()), "{tracer}");
        run(&mut scratch.report(&[])).success().stdout
    };
    let called = round.map(|name| format!("{name} <-main"));
    assert_eq!(calls(&report("function")), vec![called; 1000].concat());
    let graph = report("function_graph");
    let counts = round.map(|name| graph.matches(&format!("{name}()")).count());
    assert_eq!(counts, [1000; 5], "{graph}");
    assert_eq!(graph.matches("    leaf();").count(), 1000, "in what jumps to it: {graph}");
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let why = run(&mut scratch.lookback(&["list", "--session", &place, "-f", "*:mod:short", "--why"]));
    let why = why.success().stdout;
    let by = "by a jump in place of its first instruction, of";
    for line in [
        format!("aliased [short]  ({by} 2 bytes, and of padding)"),
        format!("empty [short]  ({by} 1 byte, and of padding)"),
        format!("in_two_words [short]  ({by} 5 bytes, and of padding)"),
        format!("short_one [short]  ({by} 2 bytes, and of padding)"),
    ] {
        assert!(why.lines().any(|found| found == line), "{line}: {why}");
    }
}

#[test]
fn a_program_that_runs_follows() {
    let scratch = Scratch::new();
    let program = built(&scratch, "plain", PLAIN, &["-O2"]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let text = std::fs::read(&program).unwrap();
    let go = scratch.path("go");
    let running = start(&mut scratch.lookback(&["run", "--session", &place, path(&program), "2", path(&go)]));
    running.wait_until(|| {
        let listed = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
        listed.contains("plain")
    });
    let set = |file: &str, value: &str| {
        run(&mut scratch.lookback(&["set", "-q", "--session", &place, file, value])).success();
    };
    set("set_ftrace_filter", "leaf");
    set("current_tracer", "function");
    scratch.write("go", "");
    running.wait().success();
    let trace = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    // The first round was before; the second begins in the call that follows.
    assert_eq!(calls(&trace), ["leaf <-middle", "leaf <-middle", "leaf <-framed"].repeat(2), "{trace}");
    assert_eq!(std::fs::read(&program).unwrap(), text);
}

#[test]
fn lists_say_how_each_is_traced_or_why_it_cant_be() {
    let scratch = Scratch::new();
    let program = built(&scratch, "plain", PLAIN, &["-O2"]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program), "1"])).success();
    let list = |options: &[&str]| {
        run(&mut scratch.lookback(&[&["list", "--session", &place, "-f"], options].concat())).success().stdout
    };
    assert!(list(&["leaf"]).starts_with("leaf [plain]"));
    let why = list(&["*:mod:plain", "--why"]);
    let loops = "spin [plain]  (a branch of its own leads to its first instruction)";
    assert!(why.lines().any(|line| line == loops), "{why}");
    let leaf = "leaf [plain]  (by a jump in place of its first instruction, of 4 bytes)";
    assert!(why.lines().any(|line| line == leaf), "{why}");
    // What a process starts with, and what looks at its caller.
    assert!(!why.contains("_start ["), "{why}");
    assert!(!list(&["*:mod:libc.so.6"]).contains("setjmp"));
    // The pattern for everything stands for what was built for it.
    let none = run(&mut scratch.lookback(&["list", "--session", &place, "-f"]));
    none.failure(125, &["lookback list -f PATTERN"]);
    run(&mut scratch.record(&["-p", "function", "-l", "*"], &[path(&program), "1"])).success();
    assert_eq!(calls(&run(&mut scratch.report(&[])).success().stdout), [""; 0]);
}

#[test]
fn what_was_named_and_cant_be_traced_is_said() {
    let scratch = Scratch::new();
    let program = built(&scratch, "plain", PLAIN, &["-O2"]);
    let options = ["-p", "function", "-l", "spin", "-l", "leaf"];
    let said = run(&mut scratch.record(&options, &[path(&program), "1"])).success().stderr;
    let expected =
        "1 of 2 that were named can't be traced: spin (a branch of its own leads to its first instruction)";
    assert!(said.contains(expected), "{said}");
}

/// As for what was built for it: eight threads, signals and forks, and all of libc's functions, too.
#[test]
fn many_threads_go_on_through_switches() {
    let scratch = Scratch::new();
    let program = built(&scratch, "storm", STORM, &["-O2", "-pthread"]);
    let place = session(&scratch, &["-b", "64", "-e", "sched_process_exit"]);
    let running = start(&mut scratch.lookback(&["run", "--session", &place, path(&program)]));
    for round in 0..15 {
        let tracer = if round % 2 == 0 { "function" } else { "function_graph" };
        for (file, value) in [
            ("set_ftrace_filter", "*:mod:storm"),
            ("current_tracer", tracer),
            ("set_ftrace_filter", "*:mod:libc.so.6"),
            ("current_tracer", "nop"),
        ] {
            run(&mut scratch.lookback(&["set", "-q", "--session", &place, file, value])).success();
        }
    }
    assert_eq!(running.wait().success().stdout, "ok\n");
}

/// Makes children by posix_spawn(3), which first set up signals and descriptors in their maker's memory.
const SPAWN: &str = "
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
extern char **environ;
int main(void)
{
	char *words[] = { \"true\", 0 };
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	for (int i = 0; i < 50; i++) {
		pid_t child;
		int status;
		if (posix_spawnp(&child, \"true\", &actions, 0, words, environ)
			|| waitpid(child, &status, 0) != child || status)
			return 1;
	}
	puts(\"made\");
	return 0;
}
";

#[test]
fn a_child_in_its_maker_s_memory_writes_nothing() {
    let scratch = Scratch::new();
    let program = built(&scratch, "spawn", SPAWN, &["-O2"]);
    let traced = [
        &["-p", "function", "-l", "sigprocmask:mod:libc.so.6"][..],
        &["-p", "function_graph", "-l", "sigprocmask:mod:libc.so.6"],
    ];
    for options in traced {
        let output = run(&mut scratch.record(options, &[path(&program)])).success();
        assert_eq!(output.stdout, "made\n");
        assert!(output.stderr.contains("50 events: of a child in its parent's memory"), "{}", output.stderr);
        let report = run(&mut scratch.report(&[])).success().stdout;
        assert!(!report.contains("sigprocmask"), "{report}");
    }
}
