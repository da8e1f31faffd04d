//! Numbers as control files take them.
//!
//! Source: `kstrtoul_from_user` in `lib/kstrtox.c` of Linux 6.18.

use rustix::io::Errno;
use std::num::{IntErrorKind, ParseIntError};

/// The most bytes that are looked at; what follows is as if it had not been written.
const MOST: usize = 66;

/// The number that was written: decimal digits, a `+` before or not, a line end after or not.
///
/// # Errors
///
/// EINVAL for anything else, ERANGE for a number that doesn't fit 64 bits.
pub(crate) fn parse(bytes: &[u8]) -> Result<u64, Errno> {
    let text = bytes.get(..MOST).unwrap_or(bytes);
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(text);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    String::from_utf8_lossy(text).parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => Errno::RANGE,
        _ => Errno::INVAL,
    })
}

/// 0 or 1.
///
/// # Errors
///
/// Those of [`parse`]; EINVAL for other numbers.
pub(crate) fn parse_switch(bytes: &[u8]) -> Result<bool, Errno> {
    match parse(bytes)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Errno::INVAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_kernels() {
        for (text, number) in
            [("0\n", 0), ("+1", 1), ("01", 1), ("18446744073709551615", u64::MAX), ("7\0x", 7)]
        {
            assert_eq!(parse(text.as_bytes()), Ok(number), "{text:?}");
        }
        for text in ["", "\n", " 1", "1 ", "1 \n", "0x0", "-1", "1x", "1\n0\n", "1\n\n", "+", "++1", "\0"] {
            assert_eq!(parse(text.as_bytes()), Err(Errno::INVAL), "{text:?}");
        }
        assert_eq!(parse(b"18446744073709551616"), Err(Errno::RANGE));
        assert_eq!(parse("9".repeat(23).as_bytes()), Err(Errno::RANGE));
    }

    #[test]
    fn bytes_after_the_first_66_are_not_seen() {
        assert_eq!(parse(format!("{}1x", "0".repeat(65)).as_bytes()), Ok(1));
        assert_eq!(parse(format!("{}x", "0".repeat(65)).as_bytes()), Err(Errno::INVAL));
    }
}
