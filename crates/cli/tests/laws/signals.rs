//! Signals at any place.

use crate::support::{Program, Trace};

fn program(way: &str) -> Program {
    Program::c("signals", &[]).arg(way)
}

/// Every call that names a thread was made by that thread.
fn assert_named(trace: &Trace) {
    let tids = trace.named("access_exit").filter_map(|event| Some((event, event.field("pathname")?)));
    for (event, path) in tids {
        if let Some(tid) = path.strip_prefix("/tid-") {
            assert_eq!(tid, event.tid.to_string(), "{event:?}");
        }
    }
}

/// Something was recorded after it.
fn goes_on(trace: &Trace) {
    trace.only("access_exit", "/after-jumps");
}

#[test]
fn handlers_record_while_they_interrupt_recording() {
    let trace = program("storm").keeps_the_law();
    assert_named(&trace);
    assert!(trace.unfinished().is_empty(), "{:?}", trace.unfinished());
    assert!(trace.count("access") > 100);
    assert_eq!(
        trace.named("write_exit").filter(|event| event.text.contains("EBADF")).count(),
        trace.count("access")
    );
}

#[test]
fn handlers_nest() {
    let trace = program("nested").keeps_the_law();
    assert_named(&trace);
    assert!(trace.unfinished().is_empty(), "{:?}", trace.unfinished());
}

#[test]
fn handlers_that_come_around_a_vfork_are_the_parents() {
    assert_named(&program("vfork").keeps_the_law());
}

#[test]
fn handlers_record_after_every_instruction() {
    let (run, trace) = program("stepped").traced_with(&["-q", "-b", "65536"]);
    assert!(run.is_ok(), "{run}");
    assert_named(&trace);
    trace.assert_consistent();
    assert_eq!(trace.named("vfork_exit").filter(|event| event.number("ret") == 0).count(), 2);
}

#[test]
fn longjmp_leaves_calls_that_wait() {
    let trace = program("jumps").keeps_the_law();
    goes_on(&trace);
    let mut left = trace.unfinished();
    // The signal may also come before the call that asks for it has returned.
    left.remove("setitimer");
    let waiting = ["read", "poll", "nanosleep"].map(|call| trace.count(call));
    assert_eq!(left.values().sum::<usize>(), waiting.iter().sum(), "{left:?}");
    assert!(waiting.iter().all(|count| *count > 3000), "{waiting:?}");
}

#[test]
fn longjmp_leaves_the_wrappers_wherever_they_are() {
    let program = program("anywhere");
    // It does nothing but record: with less, a recorder that waits for a CPU comes too late.
    let (traced, trace) = program.traced_with(&["-q", "-b", "32768"]);
    assert_eq!(program.untraced(), traced);
    trace.assert_consistent();
    goes_on(&trace);
}

/// Without rseq, events go to lanes.
fn without_rseq(way: &str) -> Program {
    program(way).env("GLIBC_TUNABLES", "glibc.pthread.rseq=0")
}

#[test]
fn longjmp_leaves_calls_that_wait_also_without_rseq() {
    let program = without_rseq("jumps");
    // Only what waits: an event that the timer's signal interrupts would keep its lane, see below.
    let calls = ["read", "poll", "nanosleep", "access"].map(|call| format!("libc:{call}*"));
    let options: Vec<&str> = calls.iter().flat_map(|call| ["-e", call]).chain(["-q"]).collect();
    let (traced, trace) = program.traced_with(&options);
    assert_eq!(program.untraced(), traced);
    trace.assert_consistent();
    goes_on(&trace);
}

#[test]
fn longjmp_leaves_the_wrappers_wherever_they_are_also_without_rseq() {
    let program = without_rseq("anywhere");
    let (traced, trace) = program.traced();
    assert_eq!(program.untraced(), traced);
    trace.assert_ordered();
    // An event that is left in the middle keeps its lane as long as its thread lives; without any, others are
    // lost.
    if !trace.is_incomplete {
        goes_on(&trace);
    }
}

#[test]
fn programs_survive_faults_after_wrappers() {
    let trace = program("faults").keeps_the_law();
    goes_on(&trace);
    assert_eq!(trace.unfinished().get("fgets"), Some(&1000));
}

#[test]
fn small_signal_stacks_are_large_enough() {
    // What the program itself needs is half of it.
    program("stack").arg("6000").keeps_the_law();
}
