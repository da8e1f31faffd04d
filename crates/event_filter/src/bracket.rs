//! A first look at a text: are there terms, and have all parentheses and quotes their partners?

use crate::error::{Error, ErrorKind};
use alloc::vec::Vec;

/// Checks parentheses and quotes.
pub(crate) fn check(text: &[u8]) -> Result<(), Error> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut has_terms = false;
    for (at, byte) in text.iter().enumerate() {
        match (quote, *byte) {
            (Some((mark, _)), byte) => {
                if mark == byte {
                    quote = None;
                }
            }
            (None, b'\'' | b'"') => {
                quote = Some((*byte, at));
                has_terms = true;
            }
            (None, b'(') => open.push(at),
            (None, b')') => {
                open.pop().ok_or_else(|| ErrorKind::TooManyClose.at(at))?;
            }
            (None, byte) => has_terms |= !byte.is_ascii_whitespace() && !is_operator(text, at),
        }
    }
    if let Some((_, at)) = quote {
        return Err(ErrorKind::MissingQuote.at(at));
    }
    if let Some(at) = open.last() {
        return Err(ErrorKind::TooManyOpen.at(*at));
    }
    if has_terms { Ok(()) } else { Err(ErrorKind::Other.at(0)) }
}

/// Whether the byte at `at` is part of `&&` or `||`.
fn is_operator(text: &[u8], at: usize) -> bool {
    let byte = text[at];
    let is_twice = at.checked_sub(1).is_some_and(|before| text[before] == byte);
    matches!(byte, b'&' | b'|') && (text.get(at + 1) == Some(&byte) || is_twice)
}
