//! The kernel's own events, for whoever reads a session.
//!
//! A [`TracefsInstance`] is an instance in the kernel's tracefs, which only root can make: with events of
//! some threads and of all that they start, in the clock of a session. It is removed when it is dropped; one
//! whose process was killed is removed when the next is made. A [`SwitchInstance`] has those of which thread
//! runs: `sched_switch`, `sched_waking` and `sched_wakeup`, with our ids and our fields, whatever this kernel
//! numbers its events by. A [`KernelTrace`] has any events, as the kernel has them. [`ContextSwitches`] are
//! perf's records of when threads of our own run, which anybody may have; [`AttachedSwitches`] are those of
//! threads that run already.
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
mod attached_switches;
mod context_switches;
mod conversion;
mod error;
mod kernel_symbols;
mod kernel_trace;
mod raw_pages;
mod switch_instance;
mod switch_record;
mod tracefs;
mod tracefs_instance;

pub use attached_switches::AttachedSwitches;
pub use context_switches::ContextSwitches;
pub use error::Error;
pub use kernel_symbols::kernel_symbols;
pub use kernel_trace::{KernelDescription, KernelEvent, KernelTrace, available_events};
pub use switch_instance::SwitchInstance;
pub use tracefs_instance::{KernelRecord, TracefsInstance};
