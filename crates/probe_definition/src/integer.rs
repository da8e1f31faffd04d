//! Integers as the kernel reads them.

/// What `kstrtoul` makes of a text with this base; of base 0 in octal after `0`, in hexadecimal after `0x`.
pub(crate) fn unsigned(text: &str, base: u32) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (digits, base) = match (text.get(..2), base) {
        (Some("0x" | "0X"), 0 | 16) => (text.get(2..)?, 16),
        (Some(start), 0) if start.starts_with('0') => (text.get(1..)?, 8),
        (_, 0) => (text, 10),
        _ => (text, base),
    };
    let is_digit = |letter: char| letter.is_digit(base);
    (!digits.is_empty() && digits.chars().all(is_digit)).then(|| u64::from_str_radix(digits, base).ok())?
}

/// What `kstrtol` makes of it with base 0.
pub(crate) fn signed(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(rest) if rest.starts_with('+') => None,
        Some(rest) => 0i64.checked_sub_unsigned(unsigned(rest, 0)?),
        None => i64::try_from(unsigned(text, 0)?).ok(),
    }
}

/// The integer that a text begins with, and the rest, as `simple_strtoul` has them.
pub(crate) fn leading(text: &str) -> (u64, &str) {
    let (digits, base) = match text.get(..2) {
        Some("0x" | "0X") => (text.get(2..).unwrap_or_default(), 16),
        Some(start) if start.starts_with('0') => (text, 8),
        _ => (text, 10),
    };
    let end = digits.find(|letter: char| !letter.is_digit(base)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at(end);
    (u64::from_str_radix(number, base).unwrap_or(0), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_kernels() {
        for (text, value) in [("0x1f", Some(31)), ("017", Some(15)), ("4414", Some(4414)), ("0", Some(0))] {
            assert_eq!(unsigned(text, 0), value, "{text}");
        }
        for text in ["", "10a", "0x", "-1", "08", "18446744073709551616"] {
            assert_eq!(unsigned(text, 0), None, "{text}");
        }
        assert_eq!((signed("-8"), signed("-0x10"), signed("8")), (Some(-8), Some(-16), Some(8)));
        assert_eq!((signed("--8"), signed("-"), signed("0ab1")), (None, None, None));
        assert_eq!((leading("4@4/32"), leading("a"), leading("0/8")), ((4, "@4/32"), (0, "a"), (0, "/8")));
    }
}
