//! Numbers for people.

use indicatif::HumanCount;

/// With commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Bytes, in a unit that leaves few digits.
pub(crate) fn bytes(bytes: u64) -> String {
    let units = [("GB", 30), ("MB", 20), ("KB", 10)];
    match units.into_iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / (1u64 << shift) as f64),
        None => format!("{bytes} bytes"),
    }
}

/// KB, of a size as it is given to options: of KB, or with a unit.
pub(crate) fn kilobytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let kilobytes = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "K" | "KB" => 1,
        "M" | "MB" => 1 << 10,
        "G" | "GB" => 1 << 20,
        _ => 0,
    };
    let size = digits.parse::<u64>().ok().filter(|_| kilobytes > 0);
    size.and_then(|size| size.checked_mul(kilobytes))
        .ok_or_else(|| "expected KB, or a size like 512K, 64M or 4G".to_string())
}

/// A duration of so many ns, in a unit that leaves few digits.
pub(crate) fn duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let units = [("d", 86_400), ("h", 3600), ("min", 60)];
    match units.into_iter().find(|(_, unit)| seconds >= 2 * unit) {
        Some((name, unit)) => format!("{} {name}", seconds / unit),
        None => format!("{seconds} s"),
    }
}

/// A count and what is counted, in the plural unless it is one.
pub(crate) fn count(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([17, 1536, 5 << 20].map(bytes), ["17 bytes", "1.5 KB", "5.0 MB"]);
        assert_eq!(
            ["4096", "64k", "4M", "4G", "2GB"].map(kilobytes),
            [4096, 64, 4096, 4 << 20, 2 << 20].map(Ok)
        );
        for size in ["", "K", "-1", "4T", "1.5G", "18446744073709551615G", "4Kb/s"] {
            assert!(kilobytes(size).is_err(), "{size}");
        }
        let seconds = |seconds: u64| duration(seconds * 1_000_000_000);
        assert_eq!([5, 119, 120, 7200, 172_800].map(seconds), ["5 s", "119 s", "2 min", "2 h", "2 d"]);
        assert_eq!(count(1, "event", "events"), "1 event");
        assert_eq!(count(2000, "event", "events"), "2,000 events");
    }
}
