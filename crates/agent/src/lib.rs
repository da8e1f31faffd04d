//! What runs in a traced process: it attaches the process to a session and records what its processes and
//! its libc calls do.
//!
//! Built with the feature `preload` as a shared object, it takes the names of libc's functions and is put
//! before libc by `LD_PRELOAD`. Without the feature there is nothing: no other crate uses this one.
//!
//! ```text
//! program ---> open ---> frame in assembly ---> libc's open
//!                          |           |
//!             entry event <+           +> exit event
//! ```
//!
//! What this crate is not: it doesn't decide which events are enabled (the session does), nor what they are
//! (that is `events`), and it starts no thread, opens no file and makes no system call on the way of an
//! event.
//!
//! What it promises to the program is in `docs/recording.md`; the tests are `crates/cli/tests/laws`.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(feature = "preload")]
mod preload;
#[cfg(all(test, not(feature = "preload")))]
#[expect(dead_code, reason = "the tests make records, and write none")]
#[path = "preload/record/system_call.rs"]
mod system_call;
#[cfg(all(test, not(feature = "preload")))]
#[path = "preload/object/tables.rs"]
mod tables;
