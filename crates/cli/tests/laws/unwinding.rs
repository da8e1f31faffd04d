//! Exceptions, cancellation and destructors.

use crate::support::{Program, Trace};

fn keeps_the_law(way: &str) -> Trace {
    Program::cxx("unwinding", &["-fnon-call-exceptions", "-fexceptions"]).arg(way).keeps_the_law()
}

#[test]
fn cancellation_and_pthread_exit_run_destructors() {
    let trace = keeps_the_law("forced");
    let count =
        |path| trace.named("access_exit").filter(|event| event.field("pathname") == Some(path)).count();
    assert_eq!((count("/guard"), count("/caught")), (40, 20));
    assert_eq!(trace.unfinished().get("read"), Some(&10));
}

#[test]
fn exceptions_of_handlers_leave_calls() {
    let trace = keeps_the_law("handler");
    assert_eq!(trace.unfinished().get("fgets"), Some(&100));
    assert_eq!(trace.count("fclose_exit"), 100);
}

#[test]
fn exceptions_of_callbacks_leave_calls() {
    let trace = keeps_the_law("callback");
    let left = trace.unfinished();
    assert_eq!((left.get("fread"), left.get("fwrite")), (Some(&50), Some(&50)), "{left:?}");
}

#[test]
fn destructors_of_thread_locals_record_as_their_thread() {
    let trace = keeps_the_law("locals");
    let mut found = 0;
    for event in trace.named("access_exit") {
        let tid = event.field("pathname").and_then(|path| path.strip_prefix("/tid-"));
        assert_eq!(tid, Some(event.tid.to_string().as_str()));
        found += 1;
    }
    assert_eq!(found, 10);
}

#[test]
fn exceptions_are_caught_in_threads() {
    assert_eq!(keeps_the_law("threads").count("access"), 8 * (20 + 21));
}
