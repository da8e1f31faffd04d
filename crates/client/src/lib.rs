//! Sessions, snapshots and trace.dat files for programs: to control what is recorded, and to read it.
//!
//! | | |
//! |---|---|
//! | [`SessionControl`] | enables events, takes snapshots, writes markers, reads and writes control files |
//! | [`EventReader`] | the events of a session, of a snapshot or of a trace.dat file, one by one or in columns |
//! | [`Consumer`] | records of tracepoints with formats, where they lie |
//!
//! C, C++ and Python have the same under the names of `lookback_session.h`, `lookback_reader.h` and
//! `lookback_consumer.h`: the crate `c_api` is a line of this for each function there.
//!
//! ```
//! use client::{EventReader, EventValue, ReadItem, SessionControl};
//! use session::{Session, SessionOptions};
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("example");
//! Session::create(&path, &SessionOptions { snapshots: 1, ..SessionOptions::default() })?;
//!
//! let session = SessionControl::open(Some(path.as_os_str()), None)?;
//! session.enable("libc:open* if ret < 0")?;
//! session.write_marker(b"started")?;
//! let snapshot = session.take_snapshot()?;
//!
//! let mut reader = EventReader::of_snapshot(session.instance(), Some(snapshot))?;
//! reader.choose_events("ftrace:print")?;
//! while let Some(item) = reader.next_item()? {
//!     let ReadItem::Event(event) = item else { continue };
//!     assert_eq!((event.name(), event.field("buf")), ("print", Some(EventValue::Text(b"started\n"))));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod event_batch;
mod event_reader;
mod event_source;
mod event_value;
mod field_column;
mod live_events;
mod read_event;
mod session_control;
mod trace_meaning;

pub use error::Error;
pub use event_batch::EventBatch;
pub use event_reader::{EventReader, LostEvents, ReadItem};
pub use event_value::EventValue;
pub use field_column::{ColumnKind, FieldColumn};
pub use ktrace::{BadPosition, Consumer, PackedLayout, PlacedRecord};
pub use read_event::ReadEvent;
pub use session_control::SessionControl;

use session::{Instance, session_path};
use std::ffi::OsStr;
use std::sync::Arc;

/// Opens the consumer of a CPU of a session: of this name, of this path if it has a `/`, or of the one that
/// the environment names, or the default one. Lanes, to which programs without rseq write, follow the CPUs.
///
/// ```no_run
/// let mut consumer = client::open_consumer(None, 0)?;
/// while consumer.wait(None)? {
///     while let Some(record) = consumer.next_record() {
///         println!("{} by {}", record.id(), record.tid());
///     }
///     consumer.put_consumed(consumer.position())?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// EBUSY while somebody else consumes events of this CPU, or of all; ENXIO for a CPU that doesn't exist;
/// those of a session that can't be opened.
pub fn open_consumer(session: Option<&OsStr>, cpu: u32) -> Result<Consumer, Error> {
    let instance = Instance::open(&session_path(session)?)?;
    if cpu >= instance.buffer().geometry().blocks() {
        return Err(Error::NoBuffer { cpu });
    }
    Ok(Consumer::open(Arc::new(instance), cpu)?)
}
