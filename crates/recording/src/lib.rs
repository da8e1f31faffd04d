//! Taking what a session records out of it, and making a file of it.
//!
//! A [`Recorder`] empties a session's buffers while they are written, remembers who the threads were and
//! what they had mapped, and records the end of those that could not do so themselves. What it has taken is
//! a [`Recorded`]. From its records, or from those that [`reading`] has copied, [`write_dat`] makes a
//! trace.dat file: merged by time, in the session's clock, with addresses that have names.
//!
//! What this crate is not: it makes no session and starts no program, and it prints nothing.
//!
//! ```
//! use recording::{KernelSelection, Recorder, Version};
//! use session::{Session, SessionOptions};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("example");
//! Session::create(&path, &SessionOptions { buffer_kb: 64, ..SessionOptions::default() }).unwrap();
//!
//! let recorder = Recorder::start(&path, directory.path(), &KernelSelection::default()).unwrap();
//! // ... programs that know the session run ...
//! let mut recorded = recorder.finish().unwrap();
//! let mut file = Vec::new();
//! let written = recorded.write_dat(&mut file, Version::Six, |_events| {}).unwrap();
//! assert_eq!((written.events, written.lost), (0, 0));
//! assert!(file.starts_with(b"\x17\x08\x44tracing"));
//! ```
#![forbid(unsafe_code)]

mod backup;
mod dat;
mod drain;
mod error;
mod followed_switches;
mod kernel;
mod kernel_pages;
mod kernel_records;
mod kernel_spools;
mod obituary;
mod recorded;
mod recorder;
mod switched_names;
mod switches;

pub use dat::{Written, write_dat};
pub use error::Error;
pub use followed_switches::FollowedSwitches;
pub use kernel::KernelSelection;
pub use kernel_pages::KernelPage;
pub use obituary::{Obituary, record_ends};
pub use recorded::Recorded;
pub use recorder::{Progress, Recorder};
pub use trace_data::dat::Version;
