//! Records of a trace, written in a format of other programs.
//!
//! Every format is a module with one [`Sink`]: it gets the records one by one, in the order of time, and
//! writes while they come. Where they come from (a session, a snapshot, a file) and which of them are chosen
//! is no matter to it.
//!
//! | format | sink |
//! |---|---|
//! | an object in JSON for each record, one on a line | [`json::JsonLines`] |
//! | a directory of the Common Trace Format, of LTTng | [`ctf::CtfDirectory`] |
//! | trace.dat, of trace-cmd and KernelShark | [`dat::DatFile`] |
//!
//! What this crate is not: it reads and chooses nothing, and the text of the kernel's `trace` file is
//! [`trace_data::text`].
//!
//! ```
//! use export::{Sink, json::JsonLines};
//! use trace_data::dat::Metadata;
//! use trace_data::event::{Event, EventTable};
//! use trace_data::format::Format;
//! use trace_data::info::TraceInfo;
//! use trace_data::record::Record;
//! use trace_data::page::Missed;
//! use trace_data::print::Dialect;
//!
//! let format = "name: read_exit\nID: 42\nformat:\n\
//!     \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
//!     \tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n\n\
//!     print fmt: \"ret=%d\", REC->ret\n";
//! let event = Event::new(Format::parse("libc", format)?, Dialect::Kernel);
//! let events: EventTable = [event].into_iter().collect();
//! let metadata = Metadata::new(4096);
//! let (tasks, symbols) = (&(), &());
//! let trace = TraceInfo { metadata: &metadata, events: &events, tasks, symbols, nanoseconds: true };
//!
//! let mut out = Vec::new();
//! let mut sink = JsonLines::new(&mut out, false);
//! let payload = [42, 0, 0, 0, 7, 0, 0, 0, 17, 0, 0, 0];
//! sink.record(&Record { cpu: 1, time: 1000, payload: &payload, lost: Missed::None }, &trace)?;
//! sink.finish(&trace)?;
//! assert_eq!(
//!     String::from_utf8(out)?,
//!     "{\"time\":1000,\"cpu\":1,\"pid\":7,\"system\":\"libc\",\"event\":\"read_exit\",\
//!      \"fields\":{\"ret\":17},\"text\":\"ret=17\"}\n",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cpu_pages;
pub mod ctf;
pub mod dat;
mod error;
pub mod json;
mod sink;

pub use error::Error;
pub use sink::Sink;
