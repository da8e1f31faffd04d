//! Panics as events, and as errors that take snapshots.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use tracepoint::{take_snapshot_of_panic, trace_event};

trace_event! {
    /// A thread panics.
    fn process:panic(message: &str, file: &str, line: u32);
}

/// Has each panic recorded from now on, as the event `process:panic`, before the hook that is set now runs:
/// also one that is caught later. Where the session wants it (`lookback start --snapshot-on panic`, which is
/// the default), a panic takes a snapshot.
///
/// Call it after other hooks were set, once: each call adds a hook. Without lookback a panic does nothing
/// more than look for a recorder.
pub fn record_panics() {
    let next = take_hook();
    set_hook(Box::new(move |panic| {
        record(panic);
        next(panic);
    }));
}

fn record(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    let message = payload.downcast_ref::<&str>().copied().or(owned).unwrap_or("a value that is no string");
    let (file, line) = info.location().map_or(("", 0), |location| (location.file(), location.line()));
    panic(message, file, line);
    take_snapshot_of_panic(&format!("{file}:{line}: {message}"));
}
