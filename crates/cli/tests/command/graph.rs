//! Functions with their calls and durations: the tracer `function_graph`.

use crate::common::*;
use crate::functions::{NOPS, XRAY, path, session};
use std::path::{Path, PathBuf};

/// Calls `middle` twice, which calls `leaf` twice; then `last`, at whose end it jumps to `leaf`. `slow` takes
/// 20 ms of processor time by the program's own measurement, which it prints in nanoseconds.
const PROGRAM: &str = "
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) int last(int x) { __asm__ volatile(\"\"); return leaf(x + 2); }
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline)) long slow(void)
{
	long start = now(), end;
	do
		end = now();
	while (end - start < 20000000);
	return end - start;
}
int main(void)
{
	int sum = middle(1) + middle(2) + last(3);
	long passed = slow();
	printf(\"%d %ld\\n\", sum, passed);
	return 0;
}
";

fn program(scratch: &Scratch, compiler: &str, flags: &[&str]) -> PathBuf {
    let (source, program) = (scratch.write("graph.c", PROGRAM), scratch.path("graph"));
    let mut compile = scratch.command(compiler);
    let flags = [&["-O2", "-foptimize-sibling-calls"], flags].concat();
    run(compile.args(flags).arg("-o").arg(&program).arg(&source)).success();
    program
}

/// The lines of functions in a report, without CPUs and durations.
fn graph(report: &str) -> Vec<&str> {
    let lines = report.lines().filter(|line| !line.starts_with('#'));
    let calls = lines.filter_map(|line| line.split_once("|  ")).map(|(_, call)| call);
    calls.filter(|call| !call.starts_with("/*")).collect()
}

/// Runs a program on one CPU: a call that ends on another one than it began on has two lines.
fn on_one_cpu(program: &Path) -> [&str; 4] {
    ["taskset", "-c", "0", path(program)]
}

fn recorded(scratch: &Scratch, options: &[&str], program: &Path) -> String {
    let options = [&["-p", "function_graph"], options].concat();
    run(&mut scratch.record(&options, &on_one_cpu(program))).success();
    run(&mut scratch.report(&[])).success().stdout
}

const MIDDLE: [&str; 4] = ["  middle() {", "    leaf();", "    leaf();", "  }"];

#[test]
fn calls_are_nested_and_end() {
    let scratch = Scratch::new();
    for (compiler, flags) in [("gcc", &[NOPS][..]), ("clang", &[NOPS]), ("clang", XRAY)] {
        let program = program(&scratch, compiler, flags);
        let report = recorded(&scratch, &["-n", "now"], &program);
        let expected = [
            &["main() {"][..],
            &MIDDLE,
            &MIDDLE,
            // One jumps to the other at its end.
            &["  last() {", "    leaf();", "  }", "  slow();", "}"],
        ];
        assert_eq!(graph(&report), expected.concat(), "{compiler} {flags:?}:\n{report}");
    }
}

#[test]
fn durations_are_those_that_the_program_measures() {
    let scratch = Scratch::new();
    let program = program(&scratch, "gcc", &[NOPS]);
    let outcome =
        run(&mut scratch.record(&["-p", "function_graph", "-l", "slow"], &on_one_cpu(&program))).success();
    let own: f64 = outcome.stdout.split_whitespace().nth(1).unwrap().parse().unwrap();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let line = report.lines().find(|line| line.ends_with("slow();")).unwrap();
    let shown: f64 = line.split_whitespace().rev().nth(3).unwrap().parse().unwrap();
    let factor = shown * 1000.0 / own;
    // It begins before the program's first look and ends after its last one.
    assert!((1.0..1.02).contains(&factor), "{own} ns, {line}");
}

#[test]
fn what_is_recorded_is_chosen_by_roots_depth_and_duration() {
    let scratch = Scratch::new();
    let program = program(&scratch, "gcc", &[NOPS]);
    let place = session(&scratch, &[]);
    let lookback = |words: &[&str]| {
        let words = [&words[..1], &["--session", &place], &words[1..]].concat();
        run(&mut scratch.lookback(&words)).success().stdout
    };
    let set = |file: &str, value: &str| drop(lookback(&["set", "-q", file, value]));
    let shown = || {
        set("trace", "");
        lookback(&[&["run"][..], &on_one_cpu(&program)].concat());
        graph(&lookback(&["get", "trace"])).into_iter().map(String::from).collect::<Vec<_>>()
    };
    set("set_ftrace_notrace", "now");
    set("set_graph_function", "middle last");
    set("current_tracer", "function_graph");
    let middle = ["middle() {", "  leaf();", "  leaf();", "}"];
    let last = ["last() {", "  leaf();", "}"];
    assert_eq!(shown(), [&middle[..], &middle, &last].concat());
    set("max_graph_depth", "1");
    assert_eq!(shown(), ["middle();", "middle();", "last();"]);
    set("max_graph_depth", "0");
    set("set_graph_function", "");
    set("set_graph_notrace", "middle");
    assert_eq!(shown(), ["main() {", "  last() {", "    leaf();", "  }", "  slow();", "}"]);
    set("set_graph_notrace", "");
    set("tracing_thresh", "15000");
    assert_eq!(shown(), ["  } /* slow */", "} /* main */"]);
    set("tracing_thresh", "0");
    set("set_ftrace_filter", "l*");
    assert_eq!(shown(), ["leaf();", "leaf();", "leaf();", "leaf();", "last() {", "  leaf();", "}"]);
}

#[test]
fn calls_have_arguments_results_and_where_they_return_to() {
    let scratch = Scratch::new();
    let program = program(&scratch, "gcc", &[NOPS, "-g"]);
    let place = session(&scratch, &["-p", "function_graph", "-l", "middle", "-l", "leaf"]);
    let lookback = |words: &[&str]| {
        let words = [&words[..1], &["--session", &place], &words[1..]].concat();
        run(&mut scratch.lookback(&words)).success().stdout
    };
    let shown = |option: &str| {
        lookback(&["set", "-q", &format!("options/{option}"), "1"]);
        lookback(&["set", "-q", "trace", ""]);
        lookback(&[&["run"][..], &on_one_cpu(&program)].concat());
        let text = lookback(&["get", "trace"]);
        lookback(&["set", "-q", &format!("options/{option}"), "0"]);
        graph(&text).into_iter().take(4).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(shown("funcgraph-args"), ["middle(x=1) {", "  leaf(x=1);", "  leaf(x=2);", "}"]);
    let results =
        ["middle() {", "  leaf(); /* ret=0x4 */", "  leaf(); /* ret=0x7 */", "} /* middle ret=0xb */"];
    assert_eq!(shown("funcgraph-retval"), results);
    let found = shown("funcgraph-retaddr");
    let starts = ["middle() { /* <-main+0x", "  leaf(); /* <-middle+0x", "  leaf(); /* <-middle+0x", "}"];
    assert!(found.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{found:?}");
}

#[test]
fn instances_have_tracers_of_their_own() {
    let scratch = Scratch::new();
    let program = program(&scratch, "gcc", &[NOPS]);
    let place = session(&scratch, &["-p", "function_graph", "-l", "leaf", "-l", "middle"]);
    for (instance, tracer, function) in [("calls", "function", "last"), ("graph", "function_graph", "l*")] {
        let options = ["-B", instance, "-p", tracer, "-l", function];
        let start = [&["start", "-q", "--session", &place][..], &options].concat();
        run(&mut scratch.lookback(&start)).success();
    }
    run(&mut scratch.lookback(&[&["run", "--session", &place][..], &on_one_cpu(&program)].concat()))
        .success();
    let text = |file: &str| run(&mut scratch.lookback(&["get", "--session", &place, file])).success().stdout;
    let middle = ["middle() {", "  leaf();", "  leaf();", "}"];
    assert_eq!(graph(&text("trace")), [&middle[..], &middle, &["leaf();"]].concat());
    let leaves = ["leaf();"; 4];
    let last = ["last() {", "  leaf();", "}"];
    assert_eq!(graph(&text("instances/graph/trace")), [&leaves[..], &last].concat());
    let calls = text("instances/calls/trace");
    assert!(calls.contains("last <-main") && !calls.contains("leaf"), "{calls}");
}

#[test]
fn stacks_go_through_functions_that_are_traced() {
    let scratch = Scratch::new();
    let source = "
#include <unistd.h>
__attribute__((noinline)) int inner(int x) { return write(1, \"\", 0) + x; }
__attribute__((noinline)) int outer(int x) { return inner(x) + 1; }
int main(void) { return outer(2) - 3; }
";
    let program = compile(&scratch, "stack", source, &["-O2", NOPS]);
    let options = ["-p", "function_graph", "-e", "libc:write", "-T"];
    run(&mut scratch.record(&options, &[path(&program)])).success();
    let report = run(&mut scratch.report(&["-e", "libc:write"])).success().stdout;
    let frames: Vec<&str> = report.lines().filter_map(|line| line.trim().strip_prefix("=> ")).collect();
    let names: Vec<&str> = frames.iter().filter_map(|frame| frame.split(['+', ' ']).next()).collect();
    assert_eq!(names[..3], ["inner", "outer", "main"], "{report}");
}

/// It finds the way from frame to frame by what the object says of its call slots.
#[test]
fn a_debugger_shows_callers_through_functions() {
    let scratch = Scratch::new();
    let source = "
__attribute__((noipa, patchable_function_entry(0))) int bottom(void) { return 3; }
__attribute__((noipa)) int deep(int depth) { return depth ? deep(depth - 1) + 1 : bottom(); }
int main(void) { return deep(200) - 203; }
";
    let program = compile(&scratch, "deep", source, &["-g", "-O1", NOPS]);
    let debugger =
        ["gdb", "-q", "-nx", "-batch", "-ex", "break bottom", "-ex", "run", "-ex", "bt", "-ex", "continue"];
    let debugger = [&debugger[..], &["--args", path(&program)]].concat();
    let outcome = run(&mut scratch.record(&["-p", "function_graph", "-l", "deep"], &debugger)).success();
    let frames = |function: &str| outcome.stdout.matches(&format!(" {function} (")).count();
    assert_eq!((frames("bottom"), frames("deep"), frames("main")), (2, 201, 1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("exited normally"), "{}", outcome.stdout);
    // The debugger stops it before it attaches, which is not said of it for that.
    assert!(!outcome.stderr.contains("not recorded"), "{}", outcome.stderr);
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!(report.matches("deep() {").count() + report.matches("deep();").count(), 201, "{report}");
}

#[test]
fn functions_with_the_attribute_end_where_their_bodies_end() {
    let scratch = Scratch::new();
    let orders =
        ["functions::pay::{{closure}}() {", "  functions::Cart::of();", "  functions::Cart::total();", "}"];
    for program in [PathBuf::from(build_traced_example()), build_traced_example_optimized(&scratch)] {
        run(&mut scratch.record(&["-p", "function_graph"], &[&on_one_cpu(&program)[..], &["2"]].concat()))
            .success();
        let report = run(&mut scratch.report(&[])).success().stdout;
        assert_eq!(graph(&report), [orders, orders].concat(), "{report}");
    }
}
