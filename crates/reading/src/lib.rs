//! Reading a session: from its buffers, or from a snapshot, to records that mean something elsewhere.
//!
//! What a session's buffers hold has ticks for times, addresses of many processes, and slices of stacks.
//! Here it becomes [`trace_data::record::Record`]s in the order of time, with times of the session's clock,
//! at the CPU where they were written, with addresses that have names, and with stacks as the kernel has
//! them. There are two sources: a [`Reader`] consumes records piece by piece, as `trace_pipe` does, and
//! copies what is there into [`SessionRecords`], as `trace` does. So do those who have consumed everything.
//!
//! This crate writes no events, makes no files that others see, and prints nothing.
//!
//! ```
//! use reading::{Contents, Reader};
//! use session::{Session, SessionOptions};
//! use std::sync::Arc;
//! use trace_data::record::Records;
//!
//! let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("example");
//! let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
//! let session = Session::create(&path, &options).unwrap();
//!
//! let mut reader = Reader::new(Arc::new(session));
//! let mut records = reader.copy(Contents::Live, None, None).unwrap();
//! assert_eq!(records.entries, 0);
//! assert!(records.next().unwrap().is_none());
//! ```
#![forbid(unsafe_code)]

mod addresses;
mod batch;
mod clock_sync;
mod copying;
mod disk;
mod elf;
mod following;
mod function_names;
mod functions;
mod image;
mod joint;
mod mapped_path;
#[cfg(test)]
mod numbered;
mod pipe;
mod process_stat;
mod prototype;
mod prototypes;
mod queue;
mod reader;
mod records;
mod scheduling;
mod spool;
mod stack;
mod tables;
mod text;
mod translate;
mod unwind;

pub use batch::Batch;
pub use clock_sync::ClockSync;
pub use disk::is_full;
pub use elf::{alternate_debug_file, debug_file, debug_info, has_go, is_pure_go, is_same_file};
pub use following::Following;
pub use function_names::SiteName;
pub use mapped_path::Nameless;
pub use process_stat::fields_after_name;
pub use prototypes::Prototypes;
pub use reader::{Contents, LongestTrace, Reader};
pub use records::SessionRecords;
pub use scheduling::Scheduling;
pub use spool::Spool;
pub use tables::Tables;
pub use text::{Formats, layout};
