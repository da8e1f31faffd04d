//! Wrong pointers: whoever answers that they are wrong, the program goes on.

use crate::support::{Program, Trace};

fn program(way: &str) -> Program {
    Program::c("pointers", &[]).arg(way)
}

/// The program does the same with default events, with all, and with none of its calls on.
#[track_caller]
fn does_the_same(program: &Program) -> Trace {
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    for options in [&["-q", "-e", "sched:*"][..], &["-q", "-e", "*:*"], &["-q"]] {
        let (traced, trace) = program.traced_with(options);
        assert_eq!(untraced, traced, "{options:?}\nwithout lookback: {untraced}\nwith: {traced}");
        if options.len() == 1 {
            return trace;
        }
    }
    unreachable!("the last has one option");
}

/// The paths of the calls of mkdir(2) that have failed.
fn failed_paths(trace: &Trace) -> Vec<&str> {
    trace
        .named("mkdir_exit")
        .filter_map(|event| event.field("pathname"))
        .filter(|path| !path.is_empty())
        .collect()
}

#[test]
fn wrong_pointers_are_the_kernels_to_refuse() {
    for way in ["paths", "sockets", "others"] {
        let trace = does_the_same(&program(way));
        let paths = failed_paths(&trace);
        assert!(paths.ends_with(&["/on-the-stack/x", "/on-the-heap/x", "/in-the-program/x"]), "{paths:?}");
    }
}

#[test]
fn what_a_filter_refuses_nobody_has_read() {
    for error in ["1", "2", "13", "4", "111"] {
        for way in ["paths", "others"] {
            let trace = does_the_same(&program(way).arg(error));
            // What is on the heap might not be there: only the kernel could tell.
            let paths = failed_paths(&trace);
            assert!(paths.ends_with(&["/on-the-stack/x", "/in-the-program/x"]), "{paths:?}");
        }
    }
}
