//! How long something took.

use crate::digits::{decimal, fill};

/// Appends nanoseconds as microseconds with as many digits after the point as there is space for: 7 digits
/// and the point, and the unit.
///
/// Source: `trace_print_graph_duration` in `kernel/trace/trace_functions_graph.c` of Linux 6.18.
pub fn print_duration(nanoseconds: u64, out: &mut Vec<u8>) {
    let start = out.len();
    decimal(nanoseconds / 1000, 0, b' ', out);
    let digits = out.len() - start;
    if digits < 7 {
        out.push(b'.');
        decimal(nanoseconds % 1000, 3, b'0', out);
        out.truncate(start + digits + 1 + (7 - digits).min(3));
    }
    let width = out.len() - start;
    out.extend_from_slice(b" us ");
    fill(b' ', 8_usize.saturating_sub(width), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_stay_as_wide_as_they_are() {
        for (nanoseconds, expected) in [
            (0, "0.000 us    "),
            (931, "0.931 us    "),
            (30_966, "30.966 us   "),
            (942_933, "942.933 us  "),
            (4_292_172, "4292.172 us "),
            (30_267_839, "30267.83 us "),
            (150_689_999, "150689.9 us "),
            (1_200_568_999, "1200568 us  "),
            (11_003_808_000, "11003808 us "),
            (123_456_789_000, "123456789 us "),
        ] {
            let mut out = Vec::new();
            print_duration(nanoseconds, &mut out);
            assert_eq!(str::from_utf8(&out).unwrap(), expected);
        }
    }
}
