//! Numbers in a filter's text: decimal, `0x` hexadecimal, or octal after a `0`.

/// The value of a signed number. None for a text that is none, or one that 64 bits don't hold.
pub(crate) fn signed(text: &str) -> Option<i64> {
    let value = match text.strip_prefix('-') {
        Some(digits) => -i128::from(unsigned(digits)?),
        None => i128::from(unsigned(text)?),
    };
    i64::try_from(value).ok()
}

/// The value of an unsigned number.
pub(crate) fn unsigned(text: &str) -> Option<u64> {
    let lower = text.get(..2).map(str::to_ascii_lowercase);
    let (digits, radix) = match lower.as_deref() {
        Some("0x") => (&text[2..], 16),
        Some(two) if two.starts_with('0') => (&text[1..], 8),
        _ => (text, 10),
    };
    // A sign is none of the digits.
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// The units of a time: how a number of them ends, and how many nanoseconds one has.
const UNITS: [(&str, i64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// The nanoseconds of a time: a number, and its unit, if that is not ns. None for a text that is none, or one
/// that 64 bits don't hold.
pub(crate) fn nanoseconds(text: &str) -> Option<i64> {
    let with_unit = UNITS.iter().find_map(|(unit, length)| Some((text.strip_suffix(unit)?, *length)));
    let (count, length) = with_unit.unwrap_or((text, 1));
    signed(count)?.checked_mul(length)
}

/// Whether a text goes on with a unit, after blanks: what a time is written with that has one too many.
pub(crate) fn is_followed_by_unit(text: &str) -> bool {
    let letters = text.trim_start().split(|letter: char| !letter.is_ascii_alphanumeric()).next();
    UNITS.iter().any(|(unit, _)| letters == Some(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let cases =
            [("7", 7), ("7ns", 7), ("0x10us", 16_000), ("100ms", 100_000_000), ("-2s", -2_000_000_000)];
        assert!(cases.iter().all(|(text, ns)| nanoseconds(text) == Some(*ns)));
        let rests = ["ms", " ms", "  s && x", " msec", " 5", "", " && s"].map(is_followed_by_unit);
        assert_eq!(rests, [true, true, true, false, false, false, false]);
        for bad in ["", "s", "ms", "5m", "5min", "5 ms", "1.5s", "9223372037s", "5sms"] {
            assert_eq!(nanoseconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_as_in_c() {
        assert_eq!(unsigned("0"), Some(0));
        assert_eq!(unsigned("010"), Some(8));
        assert_eq!(unsigned("0XfF"), Some(255));
        assert_eq!(unsigned("18446744073709551615"), Some(u64::MAX));
        assert_eq!(signed("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(signed("-0x10"), Some(-16));
        for bad in ["", "08", "0x", "1a", "18446744073709551616", "-1"] {
            assert_eq!(unsigned(bad), None, "{bad}");
        }
        assert_eq!((signed("9223372036854775808"), signed("-"), signed("--1")), (None, None, None));
    }
}
