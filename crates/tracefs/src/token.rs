//! Words of files that take one with each write.
//!
//! Source: `trace_get_user` in `kernel/trace/trace.c` of Linux 6.18.

use rustix::io::Errno;

/// The first word of what was written, and the bytes that it takes with the blanks before it and the one
/// after it. The rest is for the next write. None where there are only blanks.
///
/// # Errors
///
/// EINVAL for a word of more than `most` bytes.
pub(crate) fn first(bytes: &[u8], most: usize) -> Result<(Option<&[u8]>, usize), Errno> {
    let start = bytes.iter().position(|byte| !is_blank(*byte)).unwrap_or(bytes.len());
    let rest = bytes.get(start..).unwrap_or_default();
    let len = rest.iter().position(|byte| is_blank(*byte) || *byte == 0).unwrap_or(rest.len());
    let word = rest.get(..len).unwrap_or_default();
    if len > most {
        return Err(Errno::INVAL);
    }
    let taken = (start + len + 1).min(bytes.len());
    Ok((Some(word).filter(|word| !word.is_empty()), taken))
}

/// The kernel's `isspace`: of Latin-1, too.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r' | 0xa0)
}

/// Without the blanks at both ends: the kernel's `strstrip`, of what is before a zero byte.
///
/// # Errors
///
/// EINVAL for what is not UTF-8: no name here has that.
pub(crate) fn strip(bytes: &[u8]) -> Result<&str, Errno> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let mut text = bytes.get(..end).unwrap_or(bytes);
    while let [first, rest @ ..] = text
        && is_blank(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    std::str::from_utf8(text).map_err(|_| Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_takes_one_word_and_the_blank_after_it() {
        assert_eq!(first(b"sched_switch sched_waking", 127), Ok((Some(&b"sched_switch"[..]), 13)));
        assert_eq!(first(b"  one", 127), Ok((Some(&b"one"[..]), 5)));
        assert_eq!(first(b"one\n\n", 127), Ok((Some(&b"one"[..]), 4)));
        assert_eq!(first(b" \n\t", 127), Ok((None, 3)));
        assert_eq!(first(b"", 127), Ok((None, 0)));
        assert_eq!(first(b"a\0b", 127), Ok((Some(&b"a"[..]), 2)));
        assert_eq!(first(b"\0b", 127), Ok((None, 1)));
        assert_eq!(first(b"12345", 4), Err(Errno::INVAL));
    }

    #[test]
    fn blanks_are_stripped_at_both_ends() {
        assert_eq!(strip(b" \tno p \n"), Ok("no p"));
        assert_eq!(strip(b"nop\0 garbage"), Ok("nop"));
        assert_eq!(strip(b" \n"), Ok(""));
    }
}
