//! Journals: files on disk that keep what a session records, beyond the end of the machine.
//!
//! A session is in memory, so that no traced process ever waits for a disk. A [`JournalWriter`], in a process
//! that nobody traces, follows an instance without consuming anything, and copies its events, and what
//! describes them, to files. [`Restored::read`] makes records of those again: of whole files, and of what is
//! left of damaged ones. What is missing is counted, by the numbers that events have in their buffers.
//!
//! A journal is a directory of runs, one for each session, with segments. A segment is a sequence of
//! entries, each with a checksum: first how it starts and all that describes the session's events,
//! then events, changes of what describes them, and the time. So each segment can be read without the others,
//! and the oldest can be dropped. A segment is only appended to; it is written by one process.
//!
//! What this crate is not: it makes no session, names no functions, and prints nothing.
//!
//! ```
//! use journal::{JournalWriter, LEAST_BYTES, Restored};
//! use session::{Session, SessionOptions};
//! use std::sync::Arc;
//!
//! let directory = tempfile::tempdir().unwrap();
//! let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
//! let session = Session::create(&directory.path().join("example"), &options).unwrap();
//!
//! let kept = directory.path().join("journal");
//! let mut writer = JournalWriter::open(Arc::new(session), &kept, LEAST_BYTES).unwrap();
//! writer.look().unwrap();
//! writer.commit(true).unwrap();
//!
//! let restored = Restored::read(&kept, directory.path()).unwrap();
//! assert_eq!(restored.records.entries, 0);
//! assert!(restored.until.is_some());
//! ```
#![forbid(unsafe_code)]

mod description;
mod entry;
mod error;
mod piece;
mod pieces;
mod restored;
mod run;
mod segment;
mod start;
mod sync_point;
mod writer;

pub use error::Error;
pub use restored::{Damage, Restored};
pub use writer::{Copied, JournalWriter, LEAST_BYTES};
