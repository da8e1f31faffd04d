//! Pictures of a trace: its calls, functions and spans as slices of time, nested as they were made.
//!
//! A [`Timeline`] takes the records of a trace, one by one and in the order of time, finds out which two are
//! the ends of a slice, and has a [`Drawing`] draw it. A drawing only knows slices, so each format of a viewer
//! is one struct:
//!
//! | format | drawing |
//! |---|---|
//! | Perfetto's trace, for its UI and its SQL | [`PerfettoTrace`] |
//! | Chrome's JSON, for chrome://tracing, speedscope and others | [`ChromeTrace`] |
//! | folded stacks, and flame graphs of them | [`FoldedStacks`], [`flame`] |
//!
//! Memory is taken for each thread, for each slice that has not ended, and for each name: none of it grows
//! with the number of records. Folded stacks take memory for each stack that differs.
//!
//! What this crate is not: it reads and chooses no records, and what takes them as they are is in `export`.
#![forbid(unsafe_code)]

mod arguments;
mod chrome;
mod drawing;
pub mod flame;
mod folded;
mod perfetto;
mod timeline;

pub use chrome::ChromeTrace;
pub use drawing::{Drawing, Instant, SliceEnd, SliceEnding, SliceName, SliceStart, ThreadState, Track};
pub use folded::{FoldedStacks, StackWeight};
pub use perfetto::PerfettoTrace;
pub use timeline::Timeline;
