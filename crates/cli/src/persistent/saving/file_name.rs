//! What the files of snapshots are called.

use crate::persistent::taken::TakenSnapshot;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use trace_data::text::date_to_the_second;

/// What each begins with, and ends with.
const ENDS: (&str, &str) = ("snapshot-", ".dat");

/// A name: `snapshot-SESSION-NUMBER-REASON-TIME.dat`, with the time as `20261126T031633Z`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SnapshotFileName(pub(super) String);

impl SnapshotFileName {
    /// That of a snapshot of the session at `path`.
    pub(super) fn new(path: &Path, taken: &TakenSnapshot) -> SnapshotFileName {
        let session = path.file_name().unwrap_or_default().to_string_lossy();
        // Without times nobody knows when it was taken.
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        let date = taken.date().unwrap_or_else(|| date_to_the_second(now()));
        let time: String = date.chars().filter(|letter| !"-:".contains(*letter)).collect();
        let (number, reason) = (taken.number(), taken.short_reason());
        SnapshotFileName(format!(
            "{}{}-{number}-{}-{time}{}",
            ENDS.0,
            plain(&session),
            plain(&reason),
            ENDS.1
        ))
    }

    /// Whether a file of this name is a snapshot that was saved. Its time, which sorts as text.
    pub(super) fn time(name: &str) -> Option<&str> {
        let (rest, time) = name.strip_prefix(ENDS.0)?.strip_suffix(ENDS.1)?.rsplit_once('-')?;
        let is_time = |(place, byte): (usize, u8)| match place {
            8 => byte == b'T',
            15 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        };
        let is_saved =
            time.len() == 16 && time.bytes().enumerate().all(is_time) && rest.matches('-').count() > 1;
        is_saved.then_some(time)
    }
}

/// With what a shell and every file system take as it is.
fn plain(text: &str) -> String {
    text.replace(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_so_was_saved() {
        let name = "snapshot-default-3-SIGSEGV-20261126T031633Z.dat";
        assert_eq!(SnapshotFileName::time(name), Some("20261126T031633Z"));
        for other in [
            "snapshot-default-3-SIGSEGV-20261126T031633Z.dat.bak",
            "snapshot-20261126T031633Z.dat",
            "snapshot-mine.dat",
            "snapshot-a-b-c-2026-11-26.dat",
            "trace-default-3-SIGSEGV-20261126T031633Z.dat",
        ] {
            assert_eq!(SnapshotFileName::time(other), None, "{other}");
        }
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("my session/*.é-1"), "my_session__._-1");
    }
}
