//! Consumes records of tracepoints with formats where they lie, for C, C++ and Rust.
//!
//! For Rust it is [`Consumer`], made by [`open`]. For C it is a shared library whose header is
//! `include/lookback_consumer.h`: each function there says what it does, and is one line of this here.
//!
//! ```no_run
//! let mut consumer = lookback_consumer::open(None, 0)?;
//! while consumer.wait(None)? {
//!     while let Some(record) = consumer.next_record() {
//!         println!("{} by {}", record.id(), record.tid());
//!     }
//!     consumer.put_consumed(consumer.position())?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod c;
mod errno;

pub use ktrace::{BadPosition, Consumer, PackedLayout, PlacedRecord};
pub use session::Error;

use session::{Instance, session_path};
use std::ffi::OsStr;
use std::sync::Arc;

/// Opens the consumer of a CPU of a session: of this name, of this path if it has a `/`, or of the one that
/// the environment names, or the default one. Lanes, to which programs without rseq write, follow the CPUs.
///
/// # Errors
///
/// [`Error::Busy`] while somebody else consumes events of this CPU, or of all; those of a session that can't
/// be opened.
pub fn open(session: Option<&OsStr>, cpu: u32) -> Result<Consumer, Error> {
    Consumer::open(Arc::new(Instance::open(&session_path(session)?)?), cpu)
}
