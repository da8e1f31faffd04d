//! Parts of errors: names that are known, and ways out.

use abi::clock::TraceClock;
use std::path::Path;

/// The names of all clocks.
pub(super) fn clocks() -> String {
    TraceClock::ALL.map(TraceClock::name).join(", ")
}

pub(super) fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// What can be done where there is no session.
pub(super) fn way_out(path: &Path) -> String {
    match path.parent() {
        Some(parent) if parent != Path::new("") && !parent.is_dir() => {
            "its directory doesn't exist; `lookback list --sessions` shows sessions that do".to_string()
        }
        _ => format!("`lookback start{}` makes one", option(path)),
    }
}

/// What has to be said to `lookback start` so that it makes the session at `path`.
fn option(path: &Path) -> String {
    if path.ends_with(crate::names::DEFAULT_NAME) {
        String::new()
    } else {
        format!(" --session {}", path.display())
    }
}

pub(super) fn instances(there: &[String]) -> String {
    match there {
        [] => ": it has none".to_string(),
        there => format!(": it has {}", there.join(", ")),
    }
}

pub(super) fn suggestions(similar: &[String]) -> String {
    match similar {
        [] => {
            "; `lookback events` shows all but those of programs, which are given as SYSTEM:EVENT".to_string()
        }
        similar => format!("; similar: {}", similar.join(", ")),
    }
}
