//! Functions that are traced by `function_graph`: nothing that a program does with its stack is in the way.

use crate::support::{Program, lookback, run, scratch};
use std::path::Path;

/// How programs are built so that their functions can be traced.
const BUILDS: [(&str, &[&str]); 3] = [
    ("c++", &["-foptimize-sibling-calls", "-fpatchable-function-entry=5"]),
    ("c++", &["-foptimize-sibling-calls", "-pg"]),
    ("clang++", &["-O2", "-fxray-instrument", "-fxray-instruction-threshold=1", "-fnoxray-link-deps"]),
];

/// How many functions have been entered, and how many have returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) entered: u64,
    pub(crate) returned: u64,
}

/// The program, as it does one thing, untraced and traced: what was recorded, for each way in which it was
/// built.
fn keeps_the_law(way: &str) -> Vec<Counts> {
    keeps_the_law_with(way, &[])
}

/// Does so with more options of `record`.
fn keeps_the_law_with(way: &str, options: &[&str]) -> Vec<Counts> {
    let build = |(compiler, flags): &(&str, &[&str])| Program::cxx_by(compiler, "graph", flags).arg(way);
    BUILDS.iter().map(build).map(|program| recorded(program, options)).collect()
}

/// What is recorded of a program with these options, which does what it does untraced.
pub(crate) fn recorded(program: Program, options: &[&str]) -> Counts {
    // Where those that are built with -pg leave their profile.
    let profile = scratch().join("gmon");
    let program = program.env("GMON_OUT_PREFIX", profile.to_str().unwrap());
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    let options = [&["-q", "-p", "function_graph", "-b", "16M"], options].concat();
    let (traced, file) = program.recorded_with(&options);
    assert_eq!(untraced, traced, "{}\nwithout lookback: {untraced}\nwith: {traced}", program.path());
    Counts { entered: count(&file, "funcgraph_entry"), returned: count(&file, "funcgraph_exit") }
}

/// How many events of this name a file has.
fn count(file: &Path, event: &str) -> u64 {
    let mut command = lookback();
    command.args(["report", "--stat"]).arg(file);
    let report = run(command);
    assert!(report.status.success(), "{report}");
    let mut lines = report.output.lines().map(str::split_whitespace);
    let line =
        lines.find_map(|mut words| (words.next() == Some(&format!("ftrace:{event}"))).then(|| words.next()));
    line.flatten().map_or(0, |count| count.replace(',', "").parse().unwrap())
}

#[test]
fn exceptions_leave_functions() {
    for Counts { entered, returned } in keeps_the_law("exceptions") {
        // Those that threw, or through which it went; and their destructors.
        assert!(entered - returned >= 20 * (1001 + 21), "{entered} {returned}");
        assert!(returned >= 20 * (1001 + 21), "{entered} {returned}");
    }
}

/// LLVM's library finds the way through call slots as that of gcc does.
#[test]
fn exceptions_of_another_library_leave_functions() {
    let flags = ["-stdlib=libc++", "-lunwind", "-fpatchable-function-entry=5"];
    let program = Program::cxx_by("clang++", "graph", &flags).arg("exceptions");
    let Counts { entered, returned } = recorded(program, &[]);
    assert!(entered - returned >= 20 * (1001 + 21) && returned >= 20 * (1001 + 21), "{entered} {returned}");
}

#[test]
fn panics_leave_functions() {
    let Counts { entered, returned } = recorded(Program::rust("panics", &["panics", "shows_callers"]), &[]);
    assert_eq!((entered, returned), (21 * 1001, 1001));
}

#[test]
fn jumps_leave_functions() {
    for Counts { entered, returned } in keeps_the_law("jumps") {
        assert!(entered >= 2000 * 51 && returned < 100, "{entered} {returned}");
    }
}

#[test]
fn traces_of_the_stack_change_nothing_where_functions_were_left() {
    for Counts { entered, .. } in keeps_the_law_with("traces", &["-e", "libc:access", "-T"]) {
        assert!(entered >= 200 * 21, "{entered}");
    }
}

#[test]
fn backtraces_go_through_functions() {
    for Counts { entered, returned } in keeps_the_law("backtraces") {
        assert!(entered > 302 && entered == returned, "{entered} {returned}");
    }
}

#[test]
fn coroutines_switch_in_functions() {
    for Counts { entered, returned } in keeps_the_law("switches") {
        // Coroutines that don't come to their end.
        assert!(entered > 10_000 && entered - returned < 100, "{entered} {returned}");
    }
}

#[test]
fn threads_end_in_functions() {
    for Counts { entered, returned } in keeps_the_law("cancellation") {
        assert!(entered - returned >= 10 * 1002 && returned >= 10 * 1002, "{entered} {returned}");
    }
}

#[test]
fn arguments_and_results_are_passed() {
    for Counts { entered, returned } in keeps_the_law("values") {
        assert!(entered >= 4 * 2000 && entered == returned, "{entered} {returned}");
    }
}

#[test]
fn signals_come_at_any_instruction() {
    assert!(keeps_the_law("storm").iter().all(|counts| counts.returned > 0));
}

#[test]
fn threads_have_calls_of_their_own() {
    assert!(keeps_the_law("threads").iter().all(|counts| counts.returned > 8 * 20 * 1022));
}

#[test]
fn children_return_from_what_their_parent_has_called() {
    for Counts { entered, returned } in keeps_the_law("forks") {
        // Both return, from 31 functions in each of 10 forks.
        assert!(returned >= entered - 2 + 10 * 31, "{entered} {returned}");
    }
}

#[test]
fn functions_jump_to_others_at_their_end() {
    for Counts { entered, returned } in keeps_the_law("tail_calls") {
        // No more than 64 jumps of each of three calls.
        assert!((3 * 65..3 * 65 + 10).contains(&entered) && entered == returned, "{entered} {returned}");
    }
}
