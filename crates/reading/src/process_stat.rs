//! What the system says of a thread in `/proc/PID/stat`.

use std::str::SplitWhitespace;

/// The fields from the third on, the state: after the name, which may have anything in it.
pub fn fields_after_name(stat: &str) -> Option<SplitWhitespace<'_>> {
    Some(stat.rsplit_once(") ")?.1.split_whitespace())
}
