//! Making processes: all goes as without us, and every event belongs to the thread that made it.

use crate::support::{Event, Program, Trace};

/// Runs one way of making processes. Every call that names a thread was made by that thread, and every thread
/// but the first was made by one that is known.
fn ways(way: &str) -> Trace {
    let trace = Program::c("making", &[]).arg(way).keeps_the_law();
    assert_named(&trace);
    for made in trace.named("sched_process_fork").skip(1) {
        assert_eq!(made.number("parent_pid"), i64::from(made.tid));
        assert!(made.tid != 0, "nobody's child: {made:?}\n{trace}");
    }
    trace
}

fn assert_named(trace: &Trace) {
    let named = |event: &&Event| event.text.contains("\"/tid-");
    assert_ne!(trace.named("access_exit").filter(named).count(), 0);
    for event in trace.named("access_exit").filter(named) {
        let tid = event.field("pathname").and_then(|path| path.strip_prefix("/tid-"));
        assert_eq!(tid, Some(event.tid.to_string().as_str()), "{event:?}\n{trace}");
    }
}

/// How many processes and threads were made by the program.
fn made(trace: &Trace) -> usize {
    trace.count("sched_process_fork") - 1
}

/// How many processes have ended.
fn ended(trace: &Trace) -> usize {
    trace.named("sched_process_exit").filter(|event| event.field("group_dead") == Some("true")).count()
}

#[test]
fn fork() {
    let trace = ways("fork");
    assert_eq!((made(&trace), ended(&trace)), (2, 3));
    assert_eq!(trace.count("fork_exit"), 4);
}

#[test]
fn vfork() {
    let trace = ways("vfork");
    assert_eq!((made(&trace), ended(&trace)), (3, 4));
    assert_eq!(trace.count("vfork_exit"), 6);
}

#[test]
fn double_fork_and_setsid() {
    let trace = ways("double");
    assert_eq!((made(&trace), ended(&trace)), (2, 3));
}

#[test]
fn daemon() {
    let trace = ways("daemon");
    assert_eq!((made(&trace), ended(&trace)), (2, 3));
}

#[test]
fn clone() {
    let trace = ways("clone");
    assert_eq!(ended(&trace), 5);
}

#[test]
fn forks_by_syscall() {
    let trace = ways("syscall");
    assert_eq!((made(&trace), ended(&trace)), (3, 4));
}

#[test]
fn fork_in_a_handler() {
    let trace = ways("handler");
    assert_eq!((made(&trace), ended(&trace)), (3, 4));
}

#[test]
fn fork_among_threads() {
    let trace = ways("threads");
    assert_eq!((made(&trace), ended(&trace)), (104, 101));
}

#[test]
fn system_and_popen() {
    let trace = ways("others");
    assert_eq!(trace.only("system_exit", "exit 9").number("ret"), 9 << 8);
    assert_eq!(trace.only("pclose_exit", "").number("ret"), 10 << 8);
    assert_eq!(trace.named("sched_process_exec").filter(|event| event.text.contains("/bin/sh")).count(), 2);
}

#[test]
fn a_thread_that_has_recorded_nothing_is_known_as_a_parent() {
    let program = Program::c("making", &[]).arg("silent");
    let (run, trace) = program.traced_with(&["-q", "-e", "sched", "-e", "access_exit"]);
    assert!(run.is_ok(), "{run}");
    let named = trace.only("access_exit", "/parent-");
    let (parent, child) =
        named.field("pathname").and_then(|path| path.strip_prefix("/parent-")?.split_once("-of-")).unwrap();
    let fork = trace.only("sched_process_fork", &format!("child_pid={child}"));
    assert_eq!(fork.tid.to_string(), parent, "{fork:?}");
}
