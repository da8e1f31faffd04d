//! Restartable sequences: which CPU is this thread on, and is it still there when it commits?
//!
//! The kernel keeps the index of the current CPU in memory that the thread has registered, and when
//! it takes the CPU away from a thread in the middle of a *section* (preemption, migration, a signal)
//! it sends the thread to the section's abort handler instead of back into it. So a section whose last
//! instruction is its only visible effect happens on one CPU, undisturbed, or not at all; and a thread
//! that is killed in it leaves only what its earlier stores did to memory that nobody looks at yet.
//!
//! Here are the registration that libc made ([`Area`]), one general section ([`publish`]) and the
//! pieces to write others ([`begin!`], [`end!`]).
//!
//! What this crate is not: it registers nothing itself. Where libc has not registered the thread
//! (`GLIBC_TUNABLES=glibc.pthread.rseq=0`, valgrind, glibc before 2.35, a child made by vfork),
//! [`Area::cpu`] gives no CPU and the caller has to write elsewhere.
//!
//! ```
//! use core::cell::UnsafeCell;
//! use rseq::{Area, Commit, Guard, Outcome, Store, publish};
//!
//! #[repr(align(16))]
//! struct Pair(UnsafeCell<[u64; 2]>);
//! let (tail, other) = (Pair(UnsafeCell::new([0, 0])), UnsafeCell::new(0));
//! let Some(area) = Area::current() else { return };
//! let Some(cpu) = area.cpu() else { return };
//! // While tail is 0, store 5 to `other` and commit by storing [1, 2] to `tail`.
//! let outcome = unsafe {
//!     publish(
//!         area,
//!         cpu,
//!         &[Guard { address: tail.0.get().cast(), expected: 0 }],
//!         &[Store { address: other.get(), value: 5 }],
//!         Commit { address: tail.0.get().cast(), low: 1, high: 2 },
//!     )
//! };
//! assert!(matches!(outcome, Outcome::Committed | Outcome::Aborted));
//! ```
//!
//! Async-signal-safe: all of it. A section that a signal handler interrupts is aborted, so sections in
//! handlers nest.
//!
//! Source: `include/uapi/linux/rseq.h` and `kernel/rseq.c` of Linux; "Restartable Sequences" in the
//! glibc manual.
#![no_std]

mod arch;
mod area;
mod publish;

pub use arch::{publish, store_pair};
pub use area::Area;
pub use publish::{Commit, Guard, Outcome, Store};
