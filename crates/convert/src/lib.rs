//! Pictures of a trace: its calls, functions and spans as slices of time, nested as they were made.
//!
//! A [`SliceTimeline`] takes the records of a trace, one by one and in the order of time, finds out which two
//! are the ends of a slice, and has a [`Drawing`] draw it. A drawing only knows slices, so each format of a
//! viewer is one struct:
//!
//! | format | drawing |
//! |---|---|
//! | Perfetto's trace, for its UI and its SQL | [`PerfettoTrace`] |
//! | Chrome's JSON, for chrome://tracing, speedscope and others | [`ChromeTrace`] |
//! | the Firefox Profiler's | [`FirefoxProfile`] |
//! | pprof's, with counts, times and bytes of each stack | [`PprofProfile`] |
//! | folded stacks, and flame graphs of them | [`FoldedStacks`], [`flame`] |
//! | an overview of all threads in few columns | [`Overview`] |
//!
//! Two drawings are one, too: a pair of them.
//!
//! Memory is taken for each thread, for each slice that has not ended, and for each name: none of it grows
//! with the number of records. Folded stacks and pprof's profile take memory for each stack that differs, and
//! the Firefox Profiler's takes it for each slice.
//!
//! What this crate is not: it reads and chooses no records, and what takes them as they are is in `export`.
//!
//! ```
//! use convert::{FoldedStacks, SliceTimeline, StackWeight};
//! use export::Sink;
//! use trace_data::dat::Metadata;
//! use trace_data::event::{Event, EventTable};
//! use trace_data::format::Format;
//! use trace_data::gaps::Gaps;
//! use trace_data::info::TraceInfo;
//! use trace_data::page::Missed;
//! use trace_data::print::Dialect;
//! use trace_data::record::Record;
//!
//! let event = |name: &str, id: u16| {
//!     let format = format!("name: {name}\nID: {id}\nformat:\n\nprint fmt: \"\"\n");
//!     Format::parse("libc", &format).map(|format| Event::new(format, Dialect::Kernel))
//! };
//! let events: EventTable = [event("read", 42)?, event("read_exit", 43)?].into_iter().collect();
//! let metadata = Metadata::new(4096);
//! let (tasks, symbols) = (&(), &());
//! let trace = TraceInfo { metadata: &metadata, events: &events, tasks, symbols, nanoseconds: true };
//!
//! let mut out = Vec::new();
//! let folded = FoldedStacks::new(&mut out, StackWeight::Time);
//! let mut timeline = SliceTimeline::new(folded, Gaps::default());
//! for (time, id) in [(1000, 42), (1250, 43)] {
//!     let payload = [id, 0, 0, 0, 7, 0, 0, 0];
//!     timeline.record(&Record { cpu: 0, time, payload: &payload, lost: Missed::None }, &trace)?;
//! }
//! timeline.finish(&trace)?;
//! assert_eq!(String::from_utf8(out)?, "?;read 250\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod arguments;
mod chrome;
mod drawing;
mod firefox;
pub mod flame;
mod folded;
mod function_labels;
mod moved_bytes;
mod overview;
mod perfetto;
mod pprof;
mod timeline;

pub use arguments::{ArgumentShape, ArgumentValue, NamedNumber, NumberTexts, ShownFields, SliceArguments};
pub use chrome::ChromeTrace;
pub use drawing::{
    CounterChange, CounterKind, CpuSwitch, Drawing, Instant, RunChange, RunState, SliceEnd, SliceEnding,
    SliceName, SliceStart, Track, Wakeup,
};
pub use firefox::FirefoxProfile;
pub use folded::{FoldedStacks, StackWeight};
pub use overview::{Overview, OverviewRow, OverviewRun};
pub use perfetto::PerfettoTrace;
pub use pprof::PprofProfile;
pub use timeline::SliceTimeline;
