//! Files in shared memory: create, reserve, map, and look at what others write there.
//!
//! Every byte of a mapped file can change at any moment, by any process that maps it. So nothing
//! here hands out a reference to plain memory: words are reached as atomics ([`Segment::get`], for
//! types that consist of atomics only, see [`Shared`]) and everything else is copied
//! ([`Segment::read`]). Offsets are checked against the mapping, always. Two words that belong together are
//! replaced at once ([`compare_exchange_pair`]).
//!
//! What this crate is not: it knows no layout (that is `abi`) and no algorithm (that is
//! `ring_buffer`). It makes its system calls without libc, because the library that traces libc
//! calls must not trace its own.
//!
//! ```
//! use core::sync::atomic::{AtomicU64, Ordering};
//!
//! let path = std::ffi::CString::new(format!("/tmp/shm-example-{}", std::process::id())).unwrap();
//! let segment = shm::create(&path, 8192).unwrap();
//! segment.get::<AtomicU64>(4096).unwrap().store(7, Ordering::Relaxed);
//! let same = shm::open(&path).unwrap();
//! assert_eq!(same.get::<AtomicU64>(4096).unwrap().load(Ordering::Relaxed), 7);
//! assert!(same.get::<AtomicU64>(8192).is_none());
//! # std::fs::remove_file(path.to_str().unwrap()).unwrap();
//! ```
//!
//! Async-signal-safe: all of it, but files are made, opened and given memory by
//! system calls.
#![no_std]

#[cfg(test)]
extern crate std;

mod arch;
mod errno;
mod file;
mod late;
mod pair;
mod segment;
mod shared;
mod status;
mod system;
mod truncation;

/// Bytes of a page of memory.
pub const PAGE: usize = 4096;

pub use errno::Errno;
pub use file::{File, create, create_sparse, open, read_pieces, reserve, status_by};
pub use late::LateSegment;
pub use pair::compare_exchange_pair;
pub use segment::Segment;
pub use shared::Shared;
pub use status::{Stat, Status};
pub use truncation::{outlive_truncation, was_truncated};
