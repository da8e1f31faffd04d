//! Programs with a filter that allows the system calls which they make by themselves, and ends them for any
//! other.

use crate::support::{Event, Program, Trace};

/// Does the same with lookback, with all ways to install the filter; gives what was recorded by default.
#[track_caller]
fn does_the_same(way: &str) -> Trace {
    let [trace, _] = ["prctl", "seccomp"].map(|by| {
        let program = Program::c("allowed", &[]).arg(way).arg(by);
        let untraced = program.untraced();
        assert!(untraced.is_ok(), "without lookback: {untraced}");
        let is_same = |traced| {
            assert_eq!(untraced, traced, "{by}\nwithout lookback: {untraced}\nwith: {traced}");
        };
        is_same(program.recorded_with(&["-q", "-T"]).0);
        is_same(program.traced_with(&["-q", "-e", "*:*"]).0);
        let (traced, trace) = program.traced();
        is_same(traced);
        trace
    });
    trace.assert_consistent();
    trace
}

/// The events of writing this.
fn writes(trace: &Trace, len: usize) -> impl Iterator<Item = &Event> {
    let count = format!("count={len}");
    trace.named("write").filter(move |event| event.text.contains(&count))
}

#[test]
fn what_is_done_after_the_filter_is_recorded() {
    assert_eq!(writes(&does_the_same("least"), "filtered\n".len()).count(), 1);
    assert_eq!(does_the_same("signal").count("signal_deliver"), 1);
}

#[test]
fn threads_know_who_they_are() {
    let trace = does_the_same("thread");
    let mut tids: Vec<u32> = writes(&trace, "thread\n".len()).map(|event| event.tid).collect();
    tids.sort_unstable();
    tids.dedup();
    assert_eq!(tids.len(), 3);
    let main = trace.only("write", "count=9").tid;
    assert!(!tids.contains(&main));
    let mut forked: Vec<u32> =
        trace.named("sched_process_fork").map(|event| event.number("child_pid") as u32).collect();
    forked.retain(|tid| *tid != main);
    forked.sort_unstable();
    assert_eq!(tids, forked);
}

/// The TIDs that have written this, and the PIDs that calls of this name have returned to the parent.
fn children(trace: &Trace, len: usize, call: &str) -> (Vec<u32>, Vec<u32>) {
    let wrote = writes(trace, len).map(|event| event.tid).collect();
    let exits = trace.named(call).map(|event| event.number("ret") as u32).filter(|pid| *pid > 0).collect();
    (wrote, exits)
}

#[test]
fn forked_children_know_who_they_are() {
    let (wrote, made) = children(&does_the_same("fork"), "the child\n".len(), "fork_exit");
    assert_eq!((wrote.len(), &wrote), (1, &made));
}

#[test]
fn children_in_their_parents_memory_have_the_pid_that_it_is_told() {
    let trace = does_the_same("vfork");
    let (wrote, made) = children(&trace, "vforked\n".len(), "vfork_exit");
    assert_eq!((wrote.len(), &wrote), (3, &made));
    let forks = trace.named("sched_process_fork").map(|event| event.number("child_pid") as u32);
    assert_eq!(forks.filter(|child| made.contains(child)).count(), 3, "each was made once");
    let ends = trace.named("sched_process_exit").map(|event| event.number("pid") as u32);
    assert_eq!(ends.filter(|child| made.contains(child)).count(), 3, "each has ended once");
}

#[test]
fn executed_programs_are_traced_and_have_a_parent() {
    let trace = does_the_same("exec");
    let parent = trace.only("write", "count=9").tid;
    let (wrote, _) = children(&trace, "was executed\n".len(), "vfork_exit");
    assert_eq!(wrote.len(), 2);
    for child in wrote {
        let forks: Vec<_> = trace
            .named("sched_process_fork")
            .filter(|event| event.number("child_pid") as u32 == child)
            .map(|event| event.number("parent_pid") as u32)
            .collect();
        assert_eq!(forks, [parent], "{child} was made once, by {parent}");
        // Its path is not on its stack, and the kernel can't be asked; it is a part of the program.
        let failed = trace.named("access_exit").find(|event| event.tid == child).unwrap();
        assert_eq!(failed.field("pathname"), Some("/nowhere"));
    }
}

#[test]
fn spawned_programs_are_traced() {
    let (wrote, _) = children(&does_the_same("spawn"), "was executed\n".len(), "vfork_exit");
    assert_eq!(wrote.len(), 1);
}

#[test]
fn children_that_libc_has_not_made_have_the_pid_that_their_parent_is_told() {
    let trace = does_the_same("raw");
    let parent = trace.only("write", "count=9").tid;
    let raw: Vec<u32> = writes(&trace, "raw\n".len()).map(|event| event.tid).collect();
    let cloned: Vec<u32> = writes(&trace, "cloned\n".len()).map(|event| event.tid).collect();
    let waited: Vec<u32> = trace.named("waitpid_exit").map(|event| event.number("ret") as u32).collect();
    assert_eq!([raw, cloned].concat(), waited);
    assert!(!waited.contains(&parent));
}
