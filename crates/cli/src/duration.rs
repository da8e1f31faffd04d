//! Lengths of time for people.

/// Three digits or more, in the unit that leaves fewest: `840 ns`, `1.23 us`, `4.00 s`.
pub(crate) fn duration(nanoseconds: u64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)];
    match units.into_iter().find(|(_, unit)| nanoseconds >= *unit) {
        Some((name, unit)) => {
            let value = nanoseconds as f64 / unit as f64;
            let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
            format!("{value:.digits$} {name}")
        }
        None => format!("{nanoseconds} ns"),
    }
}

/// Seconds and microseconds, as a line shows a time.
pub(crate) fn seconds(nanoseconds: u64) -> String {
    let microseconds = nanoseconds.saturating_add(500) / 1000;
    format!("{}.{:06}", microseconds / 1_000_000, microseconds % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_leaves_few_digits() {
        let cases =
            [(0, "0 ns"), (999, "999 ns"), (1234, "1.23 us"), (45_600, "45.6 us"), (999_000, "999 us")];
        cases.iter().for_each(|(number, expected)| assert_eq!(duration(*number), *expected));
        assert_eq!((duration(1_500_000), duration(61_000_000_000)), ("1.50 ms".into(), "61.0 s".into()));
        assert_eq!(seconds(13_405_245_206_900), "13405.245207");
    }
}
