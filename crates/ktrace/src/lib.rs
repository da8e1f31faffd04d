//! Records of tracepoints with formats, for programs that consume them.
//!
//! A block of a session's buffer, which is a CPU's or a lane's, has one consumer at a time. What it looks at
//! stays in the buffer until it says that it has consumed it; so a consumer that is killed, and started
//! again, loses nothing. There are two kinds: a [`RecordStream`] copies records and packs them, as the tracer
//! ktrace has defined them; a [`Consumer`] looks at them where they lie.
//!
//! The buffer is that of all events of the session. Events that are no records are passed over, and consumed
//! together with the records after them.
//!
//! What this crate is not: it serves no files and has no C interface.
//!
//! ```
//! use ktrace::{Consumer, RecordStream};
//! use session::{Session, SessionOptions};
//! use std::sync::Arc;
//!
//! let directory = tempfile::tempdir().unwrap();
//! let path = directory.path().join("example");
//! let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
//! let session = Arc::new(Session::create(&path, &options).unwrap());
//!
//! let mut stream = RecordStream::open(session.clone(), 0).unwrap();
//! assert_eq!((stream.produced(), stream.read(100)), (0, None));
//! assert!(Consumer::open(session.clone(), 0).is_err(), "there is one already");
//! drop(stream);
//! assert!(Consumer::open(session, 0).unwrap().next_record().is_none());
//! ```
#![forbid(unsafe_code)]

mod consumer;
mod layout;
mod position;
mod record;
mod stream;
mod tracepoints;

pub use consumer::Consumer;
pub use layout::PackedLayout;
pub use position::BadPosition;
pub use record::PlacedRecord;
pub use stream::{LOST_FORMAT, LOST_ID, LOST_NAME, RecordStream};
