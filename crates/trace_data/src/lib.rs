//! Reading recorded events.
//!
//! A recording is pages of events ([`page`]), one stream of them for each CPU, and texts that say
//! what the events are ([`mod@format`]). From there it goes on to [records](record) in the order of time
//! ([`merge`]), to readable text ([`mod@print`] for one record, [`text`] for the kernel's `trace` file),
//! and to and from trace.dat files ([`dat`]). Formats, pages and text are the Linux kernel's, so all
//! of this works on a kernel's recordings as well as on ours.
//!
//! Nothing here trusts what it reads: bytes of any content are read without a panic, and lengths
//! and offsets are checked before they are used. Nothing writes to what it reads.
//!
//! ```
//! use trace_data::event::{Event, EventTable};
//! use trace_data::format::Format;
//! use trace_data::page::{Page, PageBuilder};
//! use trace_data::print::Dialect;
//!
//! // What an event consists of, as `events/libc/read/format` says it.
//! let format = "\
//! name: read
//! ID: 42
//! format:
//! \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
//!
//! \tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;
//! \tfield:unsigned int count;\toffset:12;\tsize:4;\tsigned:0;
//!
//! print fmt: \"fd=%d count=%u\", REC->fd, REC->count
//! ";
//! let format = Format::parse("libc", format)?;
//! let events: EventTable = [Event::new(format, Dialect::Kernel)].into_iter().collect();
//!
//! // A page, as `per_cpu/cpu0/trace_pipe_raw` hands it out.
//! let mut builder = PageBuilder::new(4096);
//! builder.push(1_000_500, &[42, 0, 0, 0, 77, 0, 0, 0, 3, 0, 0, 0, 0, 16, 0, 0]);
//! let page = builder.finish(None);
//!
//! let page = Page::new(page).ok_or("shorter than a page's header")?;
//! for record in page.events() {
//!     let event = events.of(record.payload).ok_or("an event without a format")?;
//!     let mut text = Vec::new();
//!     event.print(record.payload, &(), &mut text);
//!     assert_eq!(record.time, 1_000_500);
//!     assert_eq!(event.format().name, "read");
//!     assert_eq!(text, b"fd=3 count=4096");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod bytes;
pub mod dat;
pub mod digits;
pub mod event;
pub mod format;
pub mod gaps;
pub mod info;
pub mod merge;
pub mod page;
pub mod print;
pub mod record;
pub mod symbols;
pub mod text;
pub mod threads;
