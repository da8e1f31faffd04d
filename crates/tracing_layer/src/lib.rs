//! Spans and events of `tracing`, and records of `log`, as events of lookback.
//!
//! [`layer`] is added to a subscriber, together with others or alone; [`Logger`] is a logger. While the
//! program is not recorded, or what a callsite records is off, the callsite is off for this layer: what it
//! costs is tracing's own test.
//!
//! ```
//! use tracing_subscriber::layer::SubscriberExt;
//!
//! let subscriber = tracing_subscriber::registry().with(tracing_layer::layer());
//! tracing::subscriber::with_default(subscriber, || {
//!     let _span = tracing::info_span!("request", id = 7).entered();
//!     tracing::info!(status = 200, "answered");
//! });
//! ```
//!
//! # Names
//!
//! The target is the system, with `_` for what is no letter or digit: `shop::db` is `shop_db`. An event has
//! its name, or if it was not given one, its file and line: `main_42`. A span has four events: `request`
//! when it is made, with its fields; `request_enter` and `request_exit`; `request_close` when nobody has it
//! any longer. They are switched as all others, at any time:
//! `lookback record -e shop_db: -e '*:request*' -- PROGRAM`.
//!
//! Events of the level ERROR, and records of `log` of that level, take snapshots where the session has chosen
//! `log` (`lookback start --snapshot-on log`), also while they are not recorded.
//!
//! # Fields
//!
//! Those of the callsite, the first 16, as numbers, truth values or text. What else there is (`?value`,
//! `%value`, numbers with a fraction) is recorded as its text. Before them `span`: the number of the span
//! that it happens in, or that is made, entered, left, closed; and for a span that is made, `parent`. So what
//! an async task does is found by its span, whatever threads it runs on. Tasks of Tokio have spans where it
//! is built with `--cfg tokio_unstable` and its feature `tracing`.
//!
//! # What it does to the program
//!
//! Where there is a session, a thread called `lookback` waits for events to be switched. It is not in the
//! children of a fork: there, what is on stays on, or can be disabled. Names are kept for as long as the
//! process lives.

mod callsite;
mod errors;
mod layer;
mod logger;
mod name;
mod panics;
mod recorder;
mod spans;
mod switches;
mod text;
mod typed;
mod values;

pub use layer::LookbackLayer;
pub use logger::Logger;
pub use panics::record_panics;
pub use tracepoint::snapshot;

use tracing_core::Subscriber;
use tracing_subscriber::registry::LookupSpan;

/// The layer: it takes only what is on, and leaves alone what other layers take.
///
/// When it becomes part of a subscriber that is used a thread is started, if there is a session.
pub fn layer<S>() -> LookbackLayer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    LookbackLayer::new()
}
