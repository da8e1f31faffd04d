//! What runs in a traced process: it attaches the process to a session and records what its processes and
//! its libc calls do.
//!
//! Built with the feature `preload` as a shared object, it takes the names of libc's functions and is put
//! before libc by `LD_PRELOAD`. Without the feature there is only the description of the events, for who
//! makes a session.
//!
//! What this crate is not: it doesn't decide what is on (the session does), and it starts no thread, opens
//! no file and makes no system call on the way of an event.
//!
//! ```
//! let openat = agent::events().find(|listed| listed.event.name == "openat").unwrap();
//! assert_eq!((openat.event.system, openat.class), ("libc", "file"));
//! let fields: Vec<&str> = openat.event.fields.iter().map(|field| field.name).collect();
//! assert_eq!(fields, ["dirfd", "pathname", "flags", "mode", "caller"]);
//! ```
//!
//! What it promises to the program is in `docs/recording.md`; the tests are `crates/cli/tests/laws`.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod argument;
mod calls;
mod events;
mod names;
#[cfg(feature = "preload")]
mod preload;
#[cfg(all(test, not(feature = "preload")))]
#[path = "preload/tables.rs"]
mod tables;

/// What the name of the shared object's file begins with, whatever its version.
pub const OBJECT_PREFIX: &str = "liblookback";

pub use events::{Call, FINGERPRINT, Listed, events, is_on_request, sched, signal};
