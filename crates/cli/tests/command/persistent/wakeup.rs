//! The latency tracer `wakeup`: what it measures is what the program has measured itself.

use super::latency::{FLIGHT, Measured};
use crate::common::*;

/// A session with the tracer, and the program with wake-ups of known lengths.
fn woken() -> Measured {
    let source = concat!(
        include_str!("../programs/measured.c"),
        include_str!("../programs/wakeup.c"),
        include_str!("../programs/wakeup_data.c"),
        include_str!("../programs/wakeup_main.c"),
    );
    let measured = Measured::of(FLIGHT, source);
    measured.set("current_tracer", "wakeup");
    measured
}

#[test]
fn wakeups_are_measured() {
    if is_missing(&["cc"]) || needs_root("let a thread keep its CPU") {
        return;
    }
    let measured = woken();
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

#[test]
fn wakeups_by_data_are_measured() {
    if is_missing(&["cc"]) || needs_root("let a thread keep its CPU") {
        return;
    }
    let measured = woken();
    for (kind, started_at, ended_at) in [
        ("eventfd", "write_event", "await_event"),
        ("pipe", "write_pipe", "await_pipe"),
        ("message", "send_message", "await_message"),
        ("tcp", "send_tcp", "await_tcp"),
        ("polled", "write_pipe", "await_by_poll"),
        ("selected", "write_pipe", "await_by_select"),
        ("epoll", "send_tcp", "await_by_epoll"),
        ("epoll_event", "write_event", "await_by_epoll"),
        ("twice", "write_twice", "await_pipe"),
    ] {
        measured.measure(kind, started_at, ended_at);
    }
}

#[test]
fn no_wakeup_is_made_up() {
    if is_missing(&["cc"]) || needs_root("let a thread keep its CPU") {
        return;
    }
    let measured = woken();
    for kind in ["there", "stolen", "several", "timeout"] {
        measured.run(kind);
        assert_eq!(measured.get("tracing_max_latency"), "0\n", "{kind}: {}", measured.get("trace"));
    }
}
