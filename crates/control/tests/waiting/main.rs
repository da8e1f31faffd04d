//! Threads that wait, and who has woken them.

#[path = "../common/mod.rs"]
mod common;
mod readiness;
mod waiters;
mod waking;
