//! The latency tracer `wakeup`: what it measures is what the program has measured itself.

use super::latency::{FLIGHT, Measured};
use crate::common::*;

#[test]
fn wakeups_are_measured() {
    if is_missing(&["cc"]) || needs_root("let a thread keep its CPU") {
        return;
    }
    let source = concat!(include_str!("../programs/measured.c"), include_str!("../programs/wakeup.c"));
    let measured = Measured::of(FLIGHT, source);
    measured.set("current_tracer", "wakeup");
    for (kind, started_at, ended_at) in [
        ("mutex", "free_mutex", "await_mutex"),
        ("rwlock", "free_rwlock", "await_reading"),
        ("held", "signal_and_free", "await_condition"),
        ("signal", "signal_it", "await_condition"),
        ("broadcast", "broadcast", "await_condition"),
        ("semaphore", "post", "await_semaphore"),
        ("taken", "post_and_take", "await_semaphore"),
    ] {
        measured.measure(kind, started_at, ended_at);
    }
    let trace = measured.get("trace");
    let function = |text: &str| trace.find(text).unwrap_or_else(|| panic!("{trace}"));
    assert!(function(" <-post_and_take\n") < function(" <-await_semaphore\n"), "{trace}");
    // Who frees the mutex wakes nobody who waits for its condition. What is not kept stays in the buffer.
    measured.set("tracing_max_latency", "60000000");
    measured.run("signal");
    measured.run("held");
    let shown = measured.session.done("show", &[]).stdout;
    let calls_of = |place: &str| {
        let ending = format!(" <-{place}");
        let calls = shown.lines().filter_map(|line| line.strip_suffix(&ending));
        calls.filter_map(|line| line.split(' ').next_back()?.split('@').next()).collect::<Vec<_>>()
    };
    assert_eq!(calls_of("signal_it"), ["pthread_cond_signal"], "{shown}");
    assert_eq!(calls_of("signal_and_free"), ["pthread_cond_signal", "pthread_mutex_unlock"], "{shown}");
    assert_eq!(calls_of("await_condition"), ["pthread_cond_wait"; 2], "{shown}");
    // Where nobody measures nothing is noted.
    measured.set("current_tracer", "nop");
    measured.set("tracing_max_latency", "0");
    measured.run("semaphore");
    assert_eq!(measured.get("tracing_max_latency"), "0\n");
}
