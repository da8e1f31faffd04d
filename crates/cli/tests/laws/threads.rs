//! Threads, and the ends of threads and processes.

use crate::support::{Program, Trace};

fn program(way: &str) -> Program {
    Program::c("threads", &[]).arg(way)
}

/// Every call that names a thread was made by that thread; so many threads have done so.
fn assert_named(trace: &Trace, threads: usize) {
    let mut found = std::collections::BTreeSet::new();
    for event in trace.named("access_exit") {
        if let Some(tid) = event.field("pathname").and_then(|path| path.strip_prefix("/tid-")) {
            assert_eq!(tid, event.tid.to_string(), "{event:?}");
            found.insert(event.tid);
        }
    }
    assert_eq!(found.len(), threads);
}

#[test]
fn many_threads_come_and_go() {
    let trace = program("many").keeps_the_law();
    let tids = trace.threads("pipe").len();
    assert_named(&trace, tids);
    // Thread IDs are used again.
    assert!(tids >= 64, "{tids}");
    assert_eq!(trace.count("pipe"), 3 * 64 * 20);
    assert_eq!(trace.count("sched_process_fork"), 1 + 3 * 64);
    assert_eq!(trace.count("sched_process_exit"), 1 + 3 * 64);
    assert!(trace.unfinished().is_empty(), "{:?}", trace.unfinished());
}

#[test]
fn thousands_of_threads_start_at_once() {
    let trace = program("storm").keeps_the_law();
    assert_named(&trace, 5000);
    assert_eq!(trace.count("sched_process_fork"), 1 + 5000);
    assert_eq!(trace.count("sched_process_exit"), 1 + 5000);
}

#[test]
fn detached_threads_outlive_the_first() {
    assert_named(&program("detached").keeps_the_law(), 8);
}

#[test]
fn cancellation_leaves_calls_that_wait() {
    let trace = program("cancel").keeps_the_law();
    trace.only("access_exit", "/after-cancel");
    let left = trace.unfinished();
    for call in ["read", "poll", "nanosleep"] {
        assert_eq!(left.get(call), Some(&20), "{call}: {left:?}");
    }
}

#[test]
fn cancellation_leaves_the_wrappers_wherever_they_are() {
    let (run, trace) = program("anywhere").traced_with(&["-q", "-b", "65536"]);
    assert!(run.is_ok(), "{run}");
    trace.assert_consistent();
    trace.only("access_exit", "/after-cancel");
}

#[test]
fn threads_have_their_names() {
    let trace = program("names").keeps_the_law();
    assert_eq!(trace.only("access_exit", "/named").comm, "by [0] pthread");
    assert_eq!(trace.only("access_exit", "/main").comm, "a name that is ");
}

#[test]
fn late_destructors_record_as_their_threads() {
    let trace = program("destructors").keeps_the_law();
    assert_eq!(trace.named("access").count(), 30 + 2);
}

#[test]
fn threads_of_c11() {
    let trace = program("c11").keeps_the_law();
    assert_named(&trace, 1);
    assert_eq!(trace.count("sched_process_fork"), 1 + 1);
}

#[test]
fn programs_are_started_from_small_stacks() {
    let trace = program("small").keeps_the_law();
    assert_eq!(trace.named("sched_process_exec").filter(|event| event.text.contains("/bin/true")).count(), 4);
}

/// The program ends in some way, with this code or by this signal; what it does at its end is recorded.
fn ends(how: &str, code: Result<i32, i32>, last: &[&str]) {
    use std::os::unix::process::ExitStatusExt;
    let program = program(how);
    let (untraced, (traced, trace)) = (program.untraced(), program.traced());
    assert_eq!(untraced, traced);
    assert_eq!(traced.status.code().ok_or(traced.status.signal().unwrap_or(0)), code, "{how}");
    trace.assert_consistent();
    for path in last {
        trace.only("access_exit", path);
    }
    let ends = trace.named("sched_process_exit").filter(|event| event.field("group_dead") == Some("true"));
    assert_eq!(ends.count(), 1, "{how}:\n{trace}");
}

#[test]
fn processes_end_in_every_way() {
    ends("return", Ok(0), &["/constructor", "/at-exit", "/destructor"]);
    ends("exit", Ok(3), &["/constructor", "/at-exit", "/destructor"]);
    ends("thread-exit", Ok(7), &["/at-exit", "/destructor"]);
    ends("_exit", Ok(4), &["/constructor"]);
    ends("quick_exit", Ok(5), &["/at-exit"]);
    ends("abort", Err(6), &["/constructor"]);
    ends("kill", Err(9), &["/constructor"]);
}
