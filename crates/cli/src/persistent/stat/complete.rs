//! How far back a session is complete.

use super::BufferRow;
use crate::duration::duration;
use crate::persistent::session_time::now;
use session::Instance;
use trace_data::text::is_nanoseconds;

/// The time since which nothing is missing, in the session's clock: of what a CPU or lane has overwritten, or
/// a reader consumed; now, where one refuses events. None where nothing is.
pub(super) fn complete_since(session: &Instance, blocks: &[BufferRow]) -> Option<u64> {
    if is_full(session) {
        return Some(now(session));
    }
    let is_incomplete = |row: &&BufferRow| row.statistics.overrun + row.statistics.read > 0;
    let since = |row: &BufferRow| if row.oldest_time == 0 { now(session) } else { row.oldest_time };
    blocks.iter().filter(is_incomplete).map(since).max()
}

/// Whether a CPU or lane is full and has refused events.
fn is_full(session: &Instance) -> bool {
    let buffer = session.buffer();
    (0..buffer.geometry().blocks()).any(|block| buffer.has_refused(block))
}

/// How far back the session is complete.
pub(super) fn completeness(session: &Instance, blocks: &[BufferRow]) -> String {
    if is_full(session) {
        return "until the buffer was full (options/overwrite is 0); `clear` empties it".to_owned();
    }
    let Some(since) = complete_since(session, blocks) else {
        return match session.buffer().control().generation() {
            0 => "nothing was overwritten or consumed".to_owned(),
            _ => "nothing was overwritten or consumed since the last clear or snapshot".to_owned(),
        };
    };
    match is_nanoseconds(session.trace_clock().name()) {
        true => format!("for the last {}", duration(now(session).saturating_sub(since))),
        false => format!("since {since}"),
    }
}
