//! Patterns: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a character that stands for itself.
//!
//! A `[` without its `]` stands for itself, too. Source: the kernel's `lib/glob.c`.

use crate::text::{Pattern, packed};

/// Whether all of `text` fits `pattern`, as `~` has it.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let word = |index: usize| pattern.chunks(8).nth(index).map(packed);
    matches(&Pattern::new(word, pattern.len()), text)
}

/// Whether all of `text` fits a pattern of `len` bytes whose words `word` gives, eight bytes in each, by
/// their numbers: for patterns in shared memory. Async-signal-safe.
pub fn glob_words(word: impl Fn(usize) -> Option<u64>, len: usize, text: &[u8]) -> bool {
    matches(&Pattern::new(word, len), text)
}

/// Whether all of `text` fits a pattern.
///
/// A star is tried again one byte further when what is after it fails; only the last one ever needs to be.
pub(crate) fn matches<F: Fn(usize) -> Option<u64>>(pattern: &Pattern<F>, text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    // After the last star, and where in the text it was tried last.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.byte(at), text.get(place)) {
            (Some(b'*'), _) => {
                at += 1;
                star = Some((at, place));
                continue;
            }
            (None, None) => return true,
            (Some(_), Some(byte)) => {
                if let Some(len) = fits(pattern, at, *byte) {
                    (at, place) = (at + len, place + 1);
                    continue;
                }
            }
            _ => {}
        }
        match star {
            Some((after, tried)) if tried < text.len() => {
                star = Some((after, tried + 1));
                (at, place) = (after, tried + 1);
            }
            _ => return false,
        }
    }
}

/// How many bytes of the pattern `byte` fits at `at`; None where it doesn't.
fn fits<F: Fn(usize) -> Option<u64>>(pattern: &Pattern<F>, at: usize, byte: u8) -> Option<usize> {
    match pattern.byte(at)? {
        b'?' => Some(1),
        b'[' => match class(pattern, at, byte) {
            Some((len, true)) => Some(len),
            Some((_, false)) => None,
            None => (byte == b'[').then_some(1),
        },
        b'\\' => match pattern.byte(at + 1) {
            Some(next) => (next == byte).then_some(2),
            None => (byte == b'\\').then_some(1),
        },
        plain => (plain == byte).then_some(1),
    }
}

/// The length of the class at `at` and whether `byte` is in it. None where it has no end.
fn class<F: Fn(usize) -> Option<u64>>(pattern: &Pattern<F>, at: usize, byte: u8) -> Option<(usize, bool)> {
    let mut next = at + 1;
    let inverted = pattern.byte(next)? == b'!';
    next += usize::from(inverted);
    let mut found = false;
    let start = next;
    loop {
        let first = pattern.byte(next)?;
        // A bracket in the first place is a member.
        if first == b']' && next > start {
            return Some((next + 1 - at, found != inverted));
        }
        let is_range = pattern.byte(next + 1) == Some(b'-') && pattern.byte(next + 2) != Some(b']');
        let last = if is_range { pattern.byte(next + 2)? } else { first };
        found |= (first..=last).contains(&byte);
        next += if is_range { 3 } else { 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_as_in_the_kernel() {
        for (pattern, yes, no) in [
            ("a*", &["a", "abc"][..], &["", "ba"][..]),
            ("*a", &["a", "cba"], &["", "ab"]),
            ("*a*", &["a", "bab"], &["", "b"]),
            ("", &[""], &["a"]),
            ("**", &["", "a"], &[]),
            ("a?c", &["abc"], &["ac", "abbc"]),
            ("[a-c]x[!0-9]", &["axb", "cxx"], &["dxb", "ax1", "ax"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("[a", &["[a"], &["a"]),
            ("a]*", &["a]", "a]b"], &["ab"]),
            ("\\*x", &["*x"], &["ax"]),
            ("a*b*c", &["abc", "aXbXbc", "abcc"], &["acb", "ab"]),
            ("[a-]", &["a", "-"], &["b"]),
        ] {
            yes.iter()
                .for_each(|text| assert!(glob(pattern.as_bytes(), text.as_bytes()), "{pattern} {text}"));
            no.iter()
                .for_each(|text| assert!(!glob(pattern.as_bytes(), text.as_bytes()), "{pattern} {text}"));
        }
    }
}
