//! Times.

use crate::digits::decimal;

/// Seconds and microseconds, rounded to the nearest, or the number itself.
pub(super) fn time(time: u64, nanoseconds: bool, out: &mut Vec<u8>) {
    if !nanoseconds {
        return decimal(time, 12, b' ', out);
    }
    let microseconds = time.wrapping_add(500) / 1000;
    decimal(microseconds / 1_000_000, 5, b' ', out);
    out.push(b'.');
    decimal(microseconds % 1_000_000, 6, b'0', out);
}
