//! Tracepoints with formats of printf: `DO_TRACE` and `do_trace!`.

use crate::common::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is compiled as C and as C++.
const PROGRAM: &str = include_str!("programs/formats.c");

/// Compiles with our header, and every warning an error.
fn compiler(scratch: &Scratch, words: &str) -> std::process::Command {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tracepoint/include");
    let mut words = words.split(' ');
    let mut cc = scratch.command(words.next().unwrap());
    cc.args(words).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]).arg(include);
    cc
}

pub fn compiled(scratch: &Scratch, words: &str, source: &str, name: &str) -> PathBuf {
    let (source, program) = (scratch.write(&format!("{name}.c"), source), scratch.path(name));
    run(compiler(scratch, words).arg("-o").arg(&program).arg(source)).success();
    program
}

/// The events of a recording as `NAME: TEXT`, sorted.
fn recorded(trace: Trace) -> Vec<String> {
    let mut lines: Vec<String> =
        trace.events.into_iter().map(|event| format!("{}: {}", event.name, event.text)).collect();
    lines.sort();
    lines
}

fn printed(outcome: &Outcome) -> Vec<String> {
    // printf(3) has another form of null, and readers put nothing at the ends of lines.
    let lines = outcome.stdout.lines().map(|line| line.replace("(nil)", "0000000000000000"));
    let mut lines: Vec<String> = lines.map(|line| line.trim_end().to_string()).collect();
    lines.sort();
    lines
}

#[test]
fn events_are_as_printf_has_them() {
    for (c, cpp) in [
        ("gcc -std=gnu11", "g++ -std=c++11 -x c++"),
        ("clang -std=gnu11 -O2", "clang++ -std=c++11 -x c++ -O2"),
        ("gcc -std=gnu17 -O2", "g++ -std=c++20 -x c++ -O2"),
        ("clang -std=gnu17", "clang++ -std=c++20 -x c++"),
    ] {
        if [c, cpp].iter().any(|words| is_missing(&[words.split(' ').next().unwrap()])) {
            continue;
        }
        let scratch = Scratch::new();
        let program = compiled(&scratch, c, PROGRAM, "formats");
        let library = compiled(&scratch, &format!("{cpp} -DPLUGIN -shared -fPIC"), PROGRAM, "plugin.so");
        let line =
            format!("{0} {1}; {2}; {0}", program.display(), library.display(), build_example("formats", &[]));
        let outcome = run(&mut scratch.record(&["-q", "-e", "ktrace:*"], &["sh", "-c", &line])).success();
        let expected = printed(&outcome);
        assert!(expected.len() > 200, "{expected:?}");
        let found = recorded(scratch.trace());
        let others = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert_eq!((others, found.len()), (None, expected.len()), "{c}, {cpp}");
    }
}

#[test]
fn what_does_not_fit_a_format_does_not_compile() {
    let scratch = Scratch::new();
    for (call, expected) in [
        (r#"DO_TRACE(bad, "%d", "text")"#, "int"),
        (r#"DO_TRACE(bad, "%s", 7)"#, "char"),
        (r#"DO_TRACE(bad, "%d %d", 7)"#, "%"),
        (r#"DO_TRACE(bad, "%ld", 7)"#, "long"),
        (r#"DO_TRACE(bad, "%f", 1.5)"#, "DO_TRACE has no floating-point arguments"),
    ] {
        let source = format!("#include <lookback.h>\nint main(void)\n{{\n\t{call};\n\treturn 0;\n}}\n");
        let source = scratch.write("bad.c", &source);
        for words in
            ["gcc -std=gnu11", "clang -std=gnu11", "g++ -x c++ -std=c++11", "clang++ -x c++ -std=c++20"]
        {
            if is_missing(&[words.split(' ').next().unwrap()]) {
                continue;
            }
            let outcome = run(compiler(&scratch, words).arg("-o").arg(scratch.path("bad")).arg(&source));
            assert_ne!(outcome.code(), Some(0), "{words}: {call}");
            assert!(
                outcome.stderr.contains("bad.c:4:") && outcome.stderr.contains(expected),
                "{}",
                outcome.stderr
            );
            // Without the tracepoints they are checked all the same.
            let mut without = compiler(&scratch, words);
            let outcome =
                run(without.arg("-DLOOKBACK_NO_KTRACE").arg("-o").arg(scratch.path("bad")).arg(&source));
            assert_eq!(outcome.code() == Some(0), call.contains("%f"), "{words}: {call}");
        }
    }
}

/// Two tracepoints of one name, and what no event can have: the compiler takes them.
const CLASHES: &str = r#"
#include <lookback.h>
#include <stdio.h>
int main(void)
{
	int count = 0;
	DO_TRACE(order, "order %d", 1);
	DO_TRACE(order, "order %u", 2u);
	DO_TRACE(order, "order %d", 3);
	DO_TRACE(counted, "%d%n", 4, &count);
	DO_TRACE(error, "%m");
	return 0;
}
"#;

#[test]
fn a_second_format_of_a_name_is_refused_and_told() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11 -Wno-format", CLASHES, "clashes");
    let outcome = run(&mut scratch.record(&["-e", "ktrace:*"], &[program.to_str().unwrap()])).success();
    assert_eq!(recorded(scratch.trace()), ["order: order 1", "order: order 3"]);
    for refusal in [
        "the format of tracepoint 'order' changes from 'order %d' to 'order %u'",
        "the format of tracepoint 'counted' has a conversion that events don't have, at 'n': '%d%n'",
        "the format of tracepoint 'error' has a conversion that events don't have, at 'm': '%m'",
    ] {
        assert_eq!(outcome.stderr.matches(refusal).count(), 1, "{}", outcome.stderr);
    }
}

/// Texts that end the program that prints them, and long ones.
const TEXTS: &str = r#"
#include <lookback.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(void)
{
	char *heap = malloc(5001), *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	memset(page + 3000, 'y', 1092);
	memcpy(page + 4092, "edge", 4);
	memset(heap, 'x', 5000);
	heap[5000] = 0;
	DO_TRACE(bad, "%s|%s|%s", (char *)8, (char *)-1, (char *)0);
	DO_TRACE(edge, "%s|%s", page + 4092, page + 4096);
	DO_TRACE(cut, "%s", heap);
	DO_TRACE(whole, "%s", heap + 5000 - 4047);
	DO_TRACE(one, "%s|%s", heap + 4999, heap + 5000);
	DO_TRACE(long_edge, "%s|%s", heap + 4000, page + 3000);
	DO_TRACE(dump, "%*ph|%8ph|%*phN|%3phN.", 2, (void *)"ab", (void *)8, -1, (void *)heap, (void *)heap);
	DO_TRACE(cut_dump, "%*phN", 5000, (void *)heap);
	DO_TRACE(whole_dump, "%*phN.", 4048, (void *)heap);
	DO_TRACE(cut_dumps, "%*phN|%4000phN", 4000, (void *)heap, (void *)heap);
	return 0;
}
"#;

#[test]
fn a_text_that_can_not_be_read_harms_nobody() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11 -Wno-format", TEXTS, "texts");
    let (_, trace) = scratch.recorded(&[program.to_str().unwrap()]);
    let found: BTreeSet<String> =
        recorded(trace).into_iter().filter(|line| !line.contains("caller=")).collect();
    let expected = [
        "bad: (fault)|(fault)|(null)".to_string(),
        "edge: edge|(fault)".to_string(),
        format!("cut: {}...", "x".repeat(4044)),
        format!("whole: {}", "x".repeat(4047)),
        format!("long_edge: {}|{}edge", "x".repeat(1000), "y".repeat(1092)),
        "one: x|".to_string(),
        "dump: 61 62|...||787878.".to_string(),
        format!("cut_dump: {}...", "78".repeat(4048)),
        format!("whole_dump: {}.", "78".repeat(4048)),
        format!("cut_dumps: {}...|{}...", "78".repeat(2016), "78".repeat(2024)),
    ];
    let missing: Vec<&String> = expected.iter().filter(|line| !found.contains(*line)).collect();
    assert!(missing.is_empty(), "{missing:?} of {found:?}");
}

/// Texts of all lengths, printed as readers show them.
pub const STRINGS: &str = include_str!("programs/ktrace_strings.c");

#[test]
fn texts_are_whole_up_to_what_fits_a_page() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11", STRINGS, "strings");
    let line = [program.to_str().unwrap(), "2"];
    let outcome = run(&mut scratch.record(&["-q", "-e", "ktrace:*"], &line)).success();
    let shown = run(&mut scratch.report(&["--ktrace"])).success().stdout;
    let texts: Vec<&str> =
        shown.lines().map(|line| line.split_once("] ").unwrap().1.split_once(": ").unwrap().1).collect();
    let expected: Vec<String> = outcome.stdout.lines().map(|line| line.trim_end().to_string()).collect();
    assert_eq!(expected.len(), 24);
    assert!(texts.iter().copied().map(shown_pointer).eq(expected.iter().map(|line| shown_pointer(line))));
}

/// A line without how it shows a pointer: readers have another form.
fn shown_pointer(line: &str) -> String {
    let is_pointer = |word: &&str| word.trim_start_matches("0x").len() >= 8 && word.contains('f');
    line.split(' ').filter(|word| !is_pointer(word)).collect::<Vec<_>>().join(" ")
}

/// More threads than can be in the middle of a long event at a time, one of which is interrupted; and texts
/// that change meanwhile.
const CHANGING: &str = include_str!("programs/ktrace_changing.c");

#[test]
fn long_texts_of_many_threads_and_handlers_are_whole_or_marked() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11 -pthread", CHANGING, "changing");
    let outcome =
        run(&mut scratch.record(&["-q", "-b", "65536", "-e", "ktrace:*"], &[program.to_str().unwrap()]));
    let count: usize = outcome.success().stdout.trim().parse().unwrap();
    let found = recorded(scratch.trace());
    assert_eq!(found.len(), count);
    for line in found {
        let (name, text) = line.split_once(": ").unwrap();
        let (letter, len) = (&text[..1], text.trim_end_matches("...").len());
        assert!(text.trim_end_matches("...").chars().all(|found| letter.starts_with(found)), "{line}");
        match name {
            // Its end moves while it is recorded: to byte 1000, and back to 3000.
            "changing" => assert!([1000, 3000].contains(&len), "{len}: {line}"),
            _ if text.ends_with("...") => assert_eq!(len, 236, "{line}"),
            _ => assert_eq!(len, 3000, "{line}"),
        }
    }
}

/// Threads that are in the middle of long events, as many as wanted, when one more comes.
const HELD: &str = include_str!("programs/ktrace_held.c");

/// How many threads can be in the middle of a long event at a time.
const LONG_EVENTS: usize = 8;

#[test]
fn a_long_text_is_cut_while_as_many_as_can_be_are_under_way() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11 -pthread", HELD, "held");
    for threads in [1, LONG_EVENTS - 1, LONG_EVENTS, LONG_EVENTS + 1] {
        let line = [program.to_str().unwrap(), &threads.to_string()];
        run(&mut scratch.record(&["-q", "-e", "ktrace:*"], &line)).success();
        let found = recorded(scratch.trace());
        let texts = |name: &str| {
            let texts = found.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            let mut texts: Vec<String> = texts.map(str::to_string).collect();
            texts.sort();
            texts
        };
        let letter = |at: usize| char::from(b'a' + (at % 26) as u8).to_string();
        let whole = |at: usize| letter(at).repeat(3000);
        let cut = |at: usize| letter(at).repeat(236) + "...";
        let or_cut = |at: usize, is_whole: bool| if is_whole { whole(at) } else { cut(at) };
        // The first came last, and has found no place if all were taken: then nothing held it.
        let is_first_whole = threads <= LONG_EVENTS;
        let expected: Vec<String> = (0..threads).map(|at| or_cut(at, at > 0 || is_first_whole)).collect();
        assert_eq!(texts("in_thread"), expected, "{threads}");
        let has_space = threads < LONG_EVENTS;
        assert_eq!(texts("one_more"), [or_cut(64, has_space)], "{threads}");
        let in_handler: &[String] = if is_first_whole { &[or_cut(64, has_space)] } else { &[] };
        assert_eq!(texts("in_handler"), in_handler, "{threads}");
        assert_eq!(texts("after"), [whole(64)], "{threads}");
    }
}

/// Three orders, and calls into libc.
const ORDERS: &str = include_str!("../../../../examples/c/ktrace.c");

#[test]
fn tracepoints_alone_have_short_lines() {
    let scratch = Scratch::new();
    let program = compiled(&scratch, "gcc -std=gnu11", ORDERS, "orders");
    let (_, trace) = scratch.recorded(&[program.to_str().unwrap()]);
    assert!(trace.count("usleep", "") > 0, "there are others, too");
    let shown = |options: &[&str]| run(scratch.report(&["--ktrace"]).args(options)).success();
    let lines = shown(&[]).stdout;
    let texts: Vec<&str> = lines.lines().map(|line| line.split_once("] ").unwrap().1).collect();
    let expected = [
        "order_taken: order 1 of Grace, token 01 01 02 03",
        "order_done: order 1 of Grace is done",
        "order_taken: order 2 of Barbara, token 02 01 02 03",
        "order_done: order 2 of Barbara is done",
        "order_taken: order 3 of Ada, token 03 01 02 03",
        "order_done: order 3 of Ada is done",
    ];
    assert_eq!(texts, expected);
    let events = trace.events.iter().filter(|event| event.name.starts_with("order_"));
    for (line, event) in lines.lines().zip(events) {
        let time = format!("{}.{:06}", event.time / 1_000_000, event.time % 1_000_000);
        assert!(
            line.trim_start().starts_with(&format!("{time} [{:03}] {}: ", event.cpu, event.name)),
            "{line}"
        );
    }
    // Other options choose among them.
    assert_eq!(shown(&["-e", "order_done", "-e", "usleep"]).stdout.lines().count(), 3);
    assert_eq!(shown(&["-F", "order_done: arg1 > 1"]).stdout.lines().count(), 2);
    let none = shown(&["-F", "order_done: arg1 > 9"]);
    assert!(none.stderr.contains("but none matches -F"), "{}", none.stderr);
    let none = shown(&["-e", "usleep"]);
    assert!(none.stderr.contains("`-e 'usleep'` enables them"), "{}", none.stderr);
    run(scratch.report(&["--ktrace"]).arg("--json")).failure(125, &["cannot be used with"]);
}
