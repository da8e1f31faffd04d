//! Text in a print format, so that our own parser and libtraceevent's understand it alike.
//!
//! libtraceevent undoes escapes in a format string, but not in the other strings, which it prints as they
//! are. It takes text between single quotes for a string as well. It stops at any byte that isn't ASCII, and
//! doesn't find the end of a string whose last character is a backslash.
//!
//! Source: `__read_token`, `process_fields` and `print_event_fields` in `src/event-parse.c` of libtraceevent
//! 1.7.

use core::fmt::{Display, Formatter, Result, Write};

/// A string that is no format string.
pub(super) struct Literal<'a>(pub(super) &'a str);

impl Display for Literal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let quote = if self.is_plain() { Some('"') } else { self.is_quotable().then_some('\'') };
        match quote {
            Some(quote) => write!(f, "{quote}{}{quote}", self.0),
            None => self.write_escaped(f),
        }
    }
}

impl Literal<'_> {
    /// Whether nothing in it needs an escape.
    fn is_plain(&self) -> bool {
        self.0.bytes().all(|byte| is_printable(byte) && byte != b'"' && byte != b'\\')
    }

    /// Whether it can be between single quotes as it is. Those of a single character would be a number.
    fn is_quotable(&self) -> bool {
        let is_character = self.0.len() == 1 || self.0.len() == 2 && self.0.starts_with('\\');
        let may_be_there = |byte| is_printable(byte) && byte != b'\'';
        !is_character && !self.0.ends_with('\\') && self.0.bytes().all(may_be_there)
    }

    /// With octal escapes, of which libtraceevent prints the digits.
    fn write_escaped(&self, f: &mut Formatter<'_>) -> Result {
        f.write_char('"')?;
        for byte in self.0.bytes() {
            match byte {
                b'"' | b'\\' => write!(f, "\\{byte:03o}")?,
                byte if is_printable(byte) => f.write_char(char::from(byte))?,
                byte => write!(f, "\\{byte:03o}")?,
            }
        }
        f.write_char('"')
    }
}

fn is_printable(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// How far a text can be part of a format string. One that is at the end of it can't end with a backslash.
pub(super) fn end_of_plain(text: &str, is_last: bool) -> usize {
    let end = text.bytes().position(is_special).unwrap_or(text.len());
    let last = is_last && end == text.len();
    let plain = text.get(..end).unwrap_or_default();
    if last { plain.trim_end_matches('\\').len() } else { end }
}

/// How far a text can't.
pub(super) fn end_of_special(text: &str) -> usize {
    let is_last = |byte: u8| byte != b'\\' && !is_special(byte);
    text.bytes().position(is_last).unwrap_or(text.len())
}

/// The parts of a text, each with whether it can be part of a format string. `is_last` as for
/// [`end_of_plain`].
pub(super) fn plain_parts(text: &str, is_last: bool) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let plain = end_of_plain(rest, is_last);
        let end = if plain == 0 { end_of_special(rest) } else { plain };
        let (part, after) = rest.split_at_checked(end).filter(|_| end > 0)?;
        rest = after;
        Some((part, plain > 0))
    })
}

fn is_special(byte: u8) -> bool {
    !is_printable(byte) && !matches!(byte, b'\n' | b'\t' | b'\r')
}

/// Text in a format string.
pub(super) fn escaped(f: &mut Formatter<'_>, text: &str) -> Result {
    text.chars().try_for_each(|letter| match letter {
        '%' => f.write_str("%%"),
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\n' => f.write_str("\\n"),
        '\t' => f.write_str("\\t"),
        '\r' => f.write_str("\\r"),
        letter => f.write_char(letter),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_literal_has_the_quotes_that_its_text_allows() {
        for (text, expected) in [
            ("paid", r#""paid""#),
            ("it's", r#""it's""#),
            (r#"paid "twice""#, r#"'paid "twice"'"#),
            (r"C:\temp", r"'C:\temp'"),
            (r"C:\", r#""C:\134""#),
            ("\"", r#""\042""#),
            (r"\n", r#""\134n""#),
            (r#"it's "x""#, r#""it's \042x\042""#),
            ("\u{e9}\n", r#""\303\251\012""#),
        ] {
            assert_eq!(Literal(text).to_string(), expected);
        }
    }

    #[test]
    fn a_format_string_ends_where_it_must() {
        assert_eq!((end_of_plain("abc", true), end_of_plain(r"ab\", false)), (3, 3));
        assert_eq!((end_of_plain(r"ab\\", true), end_of_special(r"\\")), (2, 2));
        let text = "ab\u{20ac}\u{e9}cd";
        assert_eq!((end_of_plain(text, true), end_of_special(&text[2..])), (2, 5));
    }
}
