//! Integers in texts that people write: the kernel's `kstrtoul` for any base.

/// Why a text is no integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadInteger {
    /// Something else than digits, or nothing.
    NoInteger,
    /// More than 64 bits hold.
    TooLarge,
}

/// The integer that a text is: in decimal, octal (`0` before it) or hexadecimal (`0x`), a `+` before or not.
///
/// # Errors
///
/// For anything else.
///
/// Source: `kstrtoull` with base 0 in `lib/kstrtox.c` of Linux 6.18.
pub fn parse_integer(text: &str) -> Result<u64, BadInteger> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (&text[2..], 16),
        [b'0', ..] => (text, 8),
        _ => (text, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(BadInteger::NoInteger);
    }
    u64::from_str_radix(digits, radix).map_err(|_| BadInteger::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_the_kernels() {
        for (text, integer) in
            [("0", 0), ("+1", 1), ("010", 8), ("0x1F", 31), ("0X1f", 31), ("18446744073709551615", u64::MAX)]
        {
            assert_eq!(parse_integer(text), Ok(integer), "{text}");
        }
        for text in ["", "+", "-1", "1 ", " 1", "08", "0x", "x", "++1", "0x+1", "1_000"] {
            assert_eq!(parse_integer(text), Err(BadInteger::NoInteger), "{text}");
        }
        assert_eq!(parse_integer("0x10000000000000000"), Err(BadInteger::TooLarge));
    }
}
