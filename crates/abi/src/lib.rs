//! The bytes that outlive a process or cross from one to another.
//!
//! Everything that two processes must agree on is here, and nothing else: how a page of events looks
//! ([`page`]), how the buffer file is laid out ([`buffer`]), how the control area is laid out ([`control`]),
//! how a program's object files tell of the events in them ([`site`]). The page is the Linux kernel's own, so
//! that tools which know the kernel's ring buffer read ours.
//!
//! What this crate is not: it maps no file, takes no lock and decides nothing. It packs words and
//! takes them apart. The shared structs consist of atomics only, so a reference to one is sound
//! whatever another process writes there; what a word *says* has to be checked by its reader.
//!
//! ```
//! use abi::buffer::Tail;
//!
//! // The page at file offset 0x5000, 40 bytes of events in it, two events.
//! let tail = Tail::new(0x5000, 40, 2);
//! assert_eq!(tail.advance(20).commit(4096), 60);
//! assert_eq!(tail.advance(20).events(), 3);
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod atomic;
pub mod attach;
pub mod buffer;
pub mod clock;
pub mod common;
pub mod control;
mod drop_reason;
pub mod go_thread;
pub mod instance;
pub mod origin;
pub mod page;
mod parts;
pub mod pid_namespace;
pub mod pool;
pub mod profile;
pub mod remote;
mod ring_pages;
pub mod site;
pub mod static_program;
mod tail;

/// What the file name of the object to preload starts with, whatever its version.
pub const OBJECT_PREFIX: &str = "liblookback";
