//! Error-level records, as errors that take snapshots.

use crate::text::Texts;
use std::fmt::{Arguments, Debug, Write};
use tracepoint::{take_snapshot_of_log, wants_snapshots_of_log};
use tracing_core::Event;
use tracing_core::field::{Field, Visit};

/// Takes a snapshot for an event of `tracing`, if the session wants one: for its target, message and fields.
pub(crate) fn keep_error(event: &Event<'_>) {
    if !wants_snapshots_of_log() {
        return;
    }
    let mut reason = ReasonText(Texts::new());
    // What has no space is cut off.
    let _ = write!(reason.0, "{}:", event.metadata().target());
    event.record(&mut reason);
    take_snapshot_of_log(reason.0.get(0, reason.0.end()));
}

/// Takes a snapshot for a record of `log`, if the session wants one.
pub(crate) fn keep_record(target: &str, message: &str) {
    if wants_snapshots_of_log() {
        let mut reason = Texts::new();
        let _ = write!(reason, "{target}: {message}");
        take_snapshot_of_log(reason.get(0, reason.end()));
    }
}

/// The message and the other fields, as they come.
struct ReasonText(Texts);

impl ReasonText {
    fn add(&mut self, field: &Field, value: Arguments<'_>) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value}"),
            name => write!(self.0, " {name}={value}"),
        };
    }
}

impl Visit for ReasonText {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, format_args!("{value:?}"));
    }
}
