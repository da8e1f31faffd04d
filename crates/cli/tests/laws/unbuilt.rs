//! Programs that nobody has built for tracing, with all functions that can be traced, in them and in their
//! libraries: they do what they do untraced.

use crate::graph::recorded;
use crate::support::Program;

/// All files: their functions are named by that.
const EVERYTHING: [&str; 2] = ["-l", ":mod:*"];

/// What the program `graph` does with its stack.
const WAYS: [&str; 10] = [
    "exceptions",
    "jumps",
    "traces",
    "backtraces",
    "switches",
    "cancellation",
    "values",
    "storm",
    "forks",
    "tail_calls",
];

/// How it is built, in turns: `push rbp` first, or whatever is best.
const FLAGS: [&[&str]; 2] =
    [&["-fno-omit-frame-pointer", "-foptimize-sibling-calls"], &["-O2", "-foptimize-sibling-calls"]];

#[test]
fn nothing_that_a_program_does_with_its_stack_is_in_the_way() {
    for (way, flags) in WAYS.into_iter().zip(FLAGS.into_iter().cycle()) {
        let program = Program::cxx_by("c++", "graph", flags).arg(way);
        let counts = recorded(program, &EVERYTHING);
        assert!(counts.entered > 0 && counts.returned > 0, "{way} {flags:?}: {counts:?}");
    }
}
