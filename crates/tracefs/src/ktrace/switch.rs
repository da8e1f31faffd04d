//! What the files of `ktrace` take: a number.

use crate::number;
use rustix::io::Errno;

/// Bytes that are too many.
const TOO_LONG: usize = 64;

/// Whether a number that was written is another than 0.
///
/// # Errors
///
/// EINVAL for 64 bytes and more, and for anything but a number; ERANGE for one that doesn't fit 64 bits.
pub(super) fn parse(bytes: &[u8]) -> Result<bool, Errno> {
    if bytes.len() >= TOO_LONG {
        return Err(Errno::INVAL);
    }
    Ok(number::parse(bytes)? != 0)
}

/// What is read.
pub(super) fn text(on: bool) -> String {
    format!("{}\n", u32::from(on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_but_zero_is_one() {
        for (text, on) in [("0", false), ("1\n", true), ("2", true), ("00\n", false), ("4294967296", true)] {
            assert_eq!(parse(text.as_bytes()), Ok(on), "{text:?}");
        }
        for text in ["", "x", "0x1", " 1", "-1", "1 1"] {
            assert_eq!(parse(text.as_bytes()), Err(Errno::INVAL), "{text:?}");
        }
        assert_eq!(parse("0".repeat(63).as_bytes()), Ok(false));
        assert_eq!(parse("0".repeat(64).as_bytes()), Err(Errno::INVAL));
    }
}
