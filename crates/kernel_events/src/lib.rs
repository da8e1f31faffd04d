//! The kernel's own events of which thread runs, for whoever reads a session.
//!
//! A [`SwitchInstance`] is an instance in the kernel's tracefs, which only root can make: with
//! `sched_switch`, `sched_waking` and `sched_wakeup` of some threads and of all that they start, in the clock
//! of a session. It is removed when it is dropped; one whose process was killed is removed when the next is
//! made. What it reads has our ids and our fields, whatever this kernel numbers its events by.
//! [`ContextSwitches`] are perf's records of when threads of our own run, which anybody may have.
//!
//! What this crate is not: it knows no session, and runs in no traced process.
//!
//! ```
//! use kernel_events::ContextSwitches;
//!
//! // In many containers nobody may.
//! if let Ok(mut switches) = ContextSwitches::start(1024) {
//!     std::process::Command::new("true").status().unwrap();
//!     let mut count = 0;
//!     switches.consume(1000, |_record| Ok::<(), ()>(count += 1)).unwrap();
//!     assert!(count > 0);
//! }
//! ```
#![forbid(unsafe_code)]

mod abandoned;
mod context_switches;
mod conversion;
mod error;
mod instance;
mod raw_pages;

pub use context_switches::ContextSwitches;
pub use error::Error;
pub use instance::{KernelRecord, SwitchInstance};
