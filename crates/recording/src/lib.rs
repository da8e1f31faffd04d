//! Taking what a session records out of it, and making a file of it.
//!
//! A [`Recorder`] empties a session's buffers while they are written, remembers who the threads were and
//! what they had mapped, and records the end of those that could not do so themselves. What it has taken is
//! a [`Recorded`]; so is a copy of what a session holds that stands, or of one of its snapshots. From it
//! [`Recorded::write_dat`] makes a trace.dat file: events merged by time, in the session's clock, with
//! addresses that have names. A [`Follower`] gives the same events as they come. A [`Reader`] reads a session
//! piece by piece, as much as is asked for, in the same terms.
//!
//! What this crate is not: it makes no session and starts no program, and it prints nothing.
//!
//! ```
//! use recording::{Recorder, Version};
//! use session::{Options, Session};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("example");
//! Session::create(&path, &Options { buffer_kb: 64, ..Options::default() }).unwrap();
//!
//! let recorder = Recorder::start(&path, directory.path()).unwrap();
//! // ... programs that know the session run ...
//! let mut recorded = recorder.finish().unwrap();
//! let mut file = Vec::new();
//! let written = recorded.write_dat(&mut file, Version::Six, |_events| {}).unwrap();
//! assert_eq!((written.events, written.lost), (0, 0));
//! assert!(file.starts_with(b"\x17\x08\x44tracing"));
//! ```
#![forbid(unsafe_code)]

mod addresses;
mod backup;
mod convert;
mod copied;
mod cpu_pages;
mod dat;
mod drain;
mod elf;
mod error;
mod follow;
mod image;
mod moments;
mod obituary;
mod pipe;
mod queue;
mod reader;
mod recorded;
mod recorder;
mod spool;
mod stack;
mod symbols;
mod tables;
mod translate;
mod unwind;

pub use copied::Copied;
pub use dat::Written;
pub use error::Error;
pub use follow::{Batch, Follower};
pub use obituary::record_ends;
pub use reader::Reader;
pub use recorded::Recorded;
pub use recorder::{Progress, Recorder};
pub use tables::Thread;
pub use trace_data::dat::Version;
