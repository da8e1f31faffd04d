//! Per-CPU ring buffers in shared memory that many processes write at once.
//!
//! One buffer file serves all traced processes. Each CPU has its own ring of pages in it, in the Linux
//! kernel's layout. The whole write of an event is one restartable sequence that ends in one store: a
//! writer that is preempted, migrated, interrupted by a signal or killed at any instruction leaves no
//! trace of an unfinished event, blocks nobody and needs nobody to clean up. Readers copy pages while
//! writers go on.
//!
//! What this crate is not: it knows no events, only payloads, and no session, only one file. It makes
//! no decision about what is recorded.
//!
//! ```
//! use ring_buffer::{Buffer, Clock, RecordBuffer, Specification, Walk, Writer, WriterThread};
//!
//! let path = std::ffi::CString::new(format!("/dev/shm/ring-example-{}", std::process::id())).unwrap();
//! let cpus = vec![true; 64];
//! let wanted = Specification {
//!     page_size: 4096, pages: 16, most_pages: 16, cpus: &cpus, lanes: 4, rings: 1,
//!     clock: Clock::Tsc, overwrite: true, identity: 1,
//! };
//! let segment = shm::create(&path, wanted.file_size().unwrap() as usize).unwrap();
//! let buffer = Buffer::create(segment, &wanted).unwrap();
//!
//! let writer = Writer::new(buffer);
//! let thread = WriterThread { area: rseq::Area::current(), identity: 4711 };
//! let mut record = RecordBuffer::<4>::new();
//! record.push(abi::common::word(300, 0, 0, 4711));
//! record.push(42);
//! writer.write(thread, record.event()).unwrap();
//!
//! // Another process would map the file; any block may have the event, depending on the CPU.
//! let reader = Buffer::new(shm::open(&path).unwrap()).unwrap();
//! let mut page = vec![0; 4096];
//! let taken = (0..reader.geometry().blocks()).find_map(|block| reader.consume(block, &mut page));
//! assert_eq!(taken.unwrap().events, 1);
//! let event = Walk::new(&page).next().unwrap();
//! assert!(page[event.payload..][..event.len].ends_with(&42u64.to_le_bytes()));
//! # std::fs::remove_file(path.to_str().unwrap()).unwrap();
//! ```
//!
//! The algorithm and its laws: `docs/decisions/001-ring.md`. How it is done, and how this interface differs
//! from the kernel's: `IMPLEMENTATION.md`.
#![no_std]

#[cfg(test)]
extern crate std;

mod arch;
mod buffer;
mod clock;
mod consumption;
mod control;
mod cpu;
mod create;
mod cursor;
mod digits;
mod event_head;
mod exchange;
mod geometry;
mod holder;
mod lane;
mod last_page;
mod memory;
mod not_written;
mod observed;
mod origin;
mod parts;
mod placed;
mod reader;
mod reason;
mod record;
mod regions;
mod resize;
mod section;
mod short_event;
mod sliced;
mod snapshot;
mod spare;
mod statistics;
mod steps;
mod target;
mod thread;
mod view;
mod visit;
mod walk;
mod writable;
mod writer;

pub use abi::buffer::{Clock, ControlWord, DropReason};
pub use arch::{Bytes, TextEvent};
pub use buffer::Buffer;
pub use clock::{ClockGettime, duration_time, monotonic, read_clocks_by, ticks};
pub use consumption::{Moved, Unread};
pub use cpu::current_cpu;
pub use create::Specification;
pub use cursor::BufferCursor;
pub use digits::digits;
pub use geometry::{Geometry, UnusableBuffer};
pub use holder::{Held, Holder};
pub use not_written::NotWritten;
pub use origin::{MeasuredSection, SnapshotCause, SnapshotOrigin};
pub use placed::{PlacedCursor, PlacedEvent};
pub use reader::{PageCopy, drop_front};
pub use reason::Reason;
pub use record::{EncodedEvent, RecordBuffer};
pub use resize::{Content, NotResized};
pub use short_event::ShortEvent;
pub use sliced::{LEAST_SLICE, MOST_SLICE, SLICE_LEAD, SLICE_STEP, Sliced};
pub use snapshot::{Refused, Snapshot};
pub use spare::{NotReserved, Released};
pub use statistics::Statistics;
pub use thread::WriterThread;
pub use walk::{PageEvent, Walk};
pub use writer::{PageTurned, Writer};
