//! The latency tracers: how long threads have signals blocked, or are in critical sections, or how long it
//! takes until a thread that was woken goes on.
//!
//! Nobody writes an event for that but where a section begins and ends. The trace of the longest is kept in
//! a snapshot of its own, and `trace` shows that.

use super::Tracer;
use abi::control::{LOCKS_HELD, SIGNALS_BLOCKED, WAKEUPS};

const fn latency(name: &'static str, help: &'static str, states: u32) -> Tracer {
    Tracer { name, help, options: &[], events: &[], alone: None, states }
}

pub(super) const IRQSOFF: Tracer = latency(
    "irqsoff",
    "keeps the trace of the longest time that a thread has asynchronous signals blocked",
    SIGNALS_BLOCKED,
);

pub(super) const PREEMPTOFF: Tracer =
    latency("preemptoff", "keeps the trace of the longest critical section: with a lock held", LOCKS_HELD);

pub(super) const PREEMPTIRQSOFF: Tracer = latency(
    "preemptirqsoff",
    "keeps the trace of the longest time with either of the two",
    SIGNALS_BLOCKED | LOCKS_HELD,
);

pub(super) const WAKEUP: Tracer = latency(
    "wakeup",
    "keeps the trace of the longest time from when a thread is woken until it goes on",
    WAKEUPS,
);
