//! Why a trace can't be asked something.

use trace_data::dat;
use trace_data::format::FormatError;

/// Why a trace can't be asked something.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] dat::Error),
    /// The file describes an event in a way that can't be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file has no buffer of this name.
    #[error("the recording has no instance called {name}: expected {}", instances(known))]
    UnknownBuffer {
        /// The name.
        name: String,
        /// The names of the buffers that it has.
        known: Vec<String>,
    },
    /// No event is called like this: a typing error.
    #[error("the recording knows no event called {name}{}", hint(similar))]
    UnknownEvent {
        /// What was asked for.
        name: String,
        /// Events that may be meant.
        similar: Vec<String>,
    },
    /// A filter is wrong for all of its events: the kernel's words for it.
    #[error("{0}")]
    Filter(String),
    /// A time range ends before it starts.
    #[error("the time to which events are shown is before the time from which")]
    TimesReversed,
    /// A date was given for a trace without clock sync points.
    #[error("the trace has no readings of the wall clock: give seconds as shown, or +SECONDS")]
    UnknownDate,
    /// A rule hides strings in fields that don't exist: what it was to hide would be shown.
    #[error("{0}: no such event has a field of text with this name")]
    NothingToRedact(String),
    /// Events that were to be paired with their own exit have none.
    #[error("{0}: no such event has an _exit")]
    NoExit(String),
    /// An event that is paired by a field doesn't have it.
    #[error("{name}: {event} has {}", fields.join(", "))]
    NoKey {
        /// The field.
        name: String,
        /// The event.
        event: String,
        /// The fields that it has.
        fields: Vec<String>,
    },
}

/// What can be asked for; the top buffer has no name.
fn instances(known: &[String]) -> String {
    let names: Vec<&str> = known.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    match names.is_empty() {
        true => "none, it has the top buffer alone".to_string(),
        false => format!("one of {}, or none for the top buffer", names.join(", ")),
    }
}

fn hint(similar: &[String]) -> String {
    if similar.is_empty() { String::new() } else { format!("; similar: {}", similar.join(", ")) }
}
