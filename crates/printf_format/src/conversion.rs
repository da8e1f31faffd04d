//! A conversion: what follows a `%`.

use crate::unsupported::Unsupported;

/// A width, or a precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatAmount {
    /// There is none.
    None,
    /// This one, or the largest that there can be.
    Fixed(u16),
    /// An argument of its own: `*`.
    ArgumentRole,
}

/// What becomes of the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Converted {
    /// `%d` or `%i`.
    Signed,
    /// `%u`.
    Unsigned,
    /// `%x`.
    Hex,
    /// `%X`.
    UpperHex,
    /// `%o`.
    Octal,
    /// `%c`.
    Character,
    /// `%p`.
    Pointer,
    /// `%s`.
    Text,
    /// `%*ph`, or `%*phN` without blanks: the width says how many bytes.
    Bytes {
        /// Whether there are blanks between them.
        blanks: bool,
    },
}

/// What an argument is to its conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentRole {
    /// There is none.
    Nothing,
    /// An `int`: the width, or the least digits.
    Column,
    /// An `int`: how many bytes of the next argument, a text, there are at most.
    Length,
    /// An `int`: how many bytes the next argument, a dump, has.
    Count,
    /// What is converted.
    Value,
}

/// A conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatConversion<'a> {
    /// Its flags, of `-+ #0`.
    pub flags: &'a str,
    /// The width. Of [`Converted::Bytes`] how many there are.
    pub width: FormatAmount,
    /// The precision.
    pub precision: FormatAmount,
    /// Bytes of what is converted: 1, 2, 4 or 8; 8 of what is pointed to by the argument.
    pub size: u8,
    /// What becomes of it.
    pub kind: Converted,
}

impl<'a> FormatConversion<'a> {
    /// Its arguments, in their order.
    pub const fn arguments(&self) -> [ArgumentRole; 3] {
        let is_bytes = matches!(self.kind, Converted::Bytes { .. });
        let width = match self.width {
            FormatAmount::ArgumentRole if is_bytes => ArgumentRole::Count,
            FormatAmount::ArgumentRole => ArgumentRole::Column,
            _ => ArgumentRole::Nothing,
        };
        let precision = match (self.precision, self.kind) {
            (FormatAmount::ArgumentRole, Converted::Text) => ArgumentRole::Length,
            (FormatAmount::ArgumentRole, _) => ArgumentRole::Column,
            _ => ArgumentRole::Nothing,
        };
        [width, precision, ArgumentRole::Value]
    }

    /// The conversion that starts `text`, which is after its `%`, and what follows it.
    pub(crate) const fn parse(text: &'a str) -> Result<(FormatConversion<'a>, &'a str), Unsupported> {
        let (flags, rest) = flags(text);
        let (width, rest) = amount(rest);
        let (precision, rest) = match without(rest, b'.') {
            Some(rest) => match amount(rest) {
                (FormatAmount::None, rest) => (FormatAmount::Fixed(0), rest),
                found => found,
            },
            None => (FormatAmount::None, rest),
        };
        let (size, rest) = length(rest);
        let (kind, size, rest) = match kind(size, !matches!(width, FormatAmount::None), rest) {
            Ok(found) => found,
            Err(unsupported) => return Err(unsupported),
        };
        if matches!(kind, Converted::Bytes { .. }) && !matches!(precision, FormatAmount::None) {
            return Err(Unsupported { letter: '.' });
        }
        Ok((FormatConversion { flags, width, precision, size, kind }, rest))
    }
}

/// The first byte of a text; 0 of an empty one.
const fn first(text: &str) -> u8 {
    match text.as_bytes().first() {
        Some(byte) => *byte,
        None => 0,
    }
}

/// What follows this ASCII character, if a text starts with it.
const fn without(text: &str, start: u8) -> Option<&str> {
    if first(text) != start {
        return None;
    }
    match text.split_at_checked(1) {
        Some((_, rest)) => Some(rest),
        None => None,
    }
}

const fn flags(text: &str) -> (&str, &str) {
    let (mut bytes, mut count) = (text.as_bytes(), 0);
    while let [b'-' | b'+' | b' ' | b'#' | b'0', rest @ ..] = bytes {
        (bytes, count) = (rest, count + 1);
    }
    match text.split_at_checked(count) {
        Some(split) => split,
        None => ("", text),
    }
}

const fn amount(text: &str) -> (FormatAmount, &str) {
    if let Some(rest) = without(text, b'*') {
        return (FormatAmount::ArgumentRole, rest);
    }
    let (mut bytes, mut count, mut number) = (text.as_bytes(), 0, 0u16);
    while let [digit @ b'0'..=b'9', rest @ ..] = bytes {
        number = number.saturating_mul(10).saturating_add((*digit - b'0') as u16);
        (bytes, count) = (rest, count + 1);
    }
    match text.split_at_checked(count) {
        Some((_, rest)) if count > 0 => (FormatAmount::Fixed(number), rest),
        _ => (FormatAmount::None, text),
    }
}

/// The bytes that a length modifier asks for; 4 without one.
const fn length(text: &str) -> (u8, &str) {
    let (size, count) = match text.as_bytes() {
        [b'h', b'h', ..] => (1, 2),
        [b'h', ..] => (2, 1),
        [b'l', b'l', ..] => (8, 2),
        [b'l' | b'L' | b'q' | b'j' | b'z' | b'Z' | b't', ..] => (8, 1),
        _ => (4, 0),
    };
    match text.split_at_checked(count) {
        Some((_, rest)) => (size, rest),
        None => (size, text),
    }
}

/// The kind that the letter at the start of `text` asks for, its size, and what follows it.
const fn kind(size: u8, has_width: bool, text: &str) -> Result<(Converted, u8, &str), Unsupported> {
    let letter = first(text);
    let Some(rest) = without(text, letter) else { return Err(Unsupported { letter: letter as char }) };
    let (kind, size) = match letter {
        b'd' | b'i' => (Converted::Signed, size),
        b'u' => (Converted::Unsigned, size),
        b'x' => (Converted::Hex, size),
        b'X' => (Converted::UpperHex, size),
        b'o' => (Converted::Octal, size),
        b'c' if size == 4 => (Converted::Character, 1),
        b's' if size == 4 => (Converted::Text, 8),
        b'p' if size == 4 && has_width && first(rest) == b'h' => return bytes(rest),
        b'p' if size == 4 => (Converted::Pointer, 8),
        _ => return Err(Unsupported { letter: letter as char }),
    };
    Ok((kind, size, rest))
}

/// A dump, of which `text` has what follows the `p`.
const fn bytes(text: &str) -> Result<(Converted, u8, &str), Unsupported> {
    let rest = match without(text, b'h') {
        Some(rest) => rest,
        None => text,
    };
    match (first(rest), without(rest, b'N')) {
        (separator @ (b'C' | b'D'), _) => Err(Unsupported { letter: separator as char }),
        (_, Some(rest)) => Ok((Converted::Bytes { blanks: false }, 8, rest)),
        (_, None) => Ok((Converted::Bytes { blanks: true }, 8, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> FormatConversion<'_> {
        let (found, rest) = FormatConversion::parse(text).unwrap();
        assert_eq!(rest, "", "{text}");
        found
    }

    #[test]
    fn conversions_are_those_of_c() {
        let found = parsed("-08.*llx");
        assert_eq!(
            (found.flags, found.width, found.precision),
            ("-0", FormatAmount::Fixed(8), FormatAmount::ArgumentRole)
        );
        assert_eq!((found.kind, found.size), (Converted::Hex, 8));
        for (text, kind, size) in [
            ("d", Converted::Signed, 4),
            ("hhi", Converted::Signed, 1),
            ("hu", Converted::Unsigned, 2),
            ("zu", Converted::Unsigned, 8),
            ("jX", Converted::UpperHex, 8),
            ("#to", Converted::Octal, 8),
            ("c", Converted::Character, 1),
            ("20p", Converted::Pointer, 8),
            ("s", Converted::Text, 8),
            ("*ph", Converted::Bytes { blanks: true }, 8),
            ("6phN", Converted::Bytes { blanks: false }, 8),
        ] {
            let found = parsed(text);
            assert_eq!((found.kind, found.size), (kind, size), "{text}");
        }
        assert_eq!(parsed("99999999d").width, FormatAmount::Fixed(u16::MAX));
        assert_eq!(parsed(".s").precision, FormatAmount::Fixed(0));
    }

    #[test]
    fn without_a_count_a_pointer_is_one() {
        let (found, rest) = FormatConversion::parse("phN").unwrap();
        assert_eq!((found.kind, rest), (Converted::Pointer, "hN"));
    }

    #[test]
    fn what_events_have_no_fields_for_is_refused() {
        for (text, letter) in [
            ("f", 'f'),
            ("Lf", 'f'),
            (".3e", 'e'),
            ("n", 'n'),
            ("m", 'm'),
            ("ls", 's'),
            ("lc", 'c'),
            ("1$d", '$'),
            ("'d", '\''),
            ("", '\0'),
            ("5", '\0'),
            ("*phC", 'C'),
            ("*.*ph", '.'),
            ("5%", '%'),
        ] {
            assert_eq!(FormatConversion::parse(text), Err(Unsupported { letter }), "%{text}");
        }
        assert!(FormatConversion::parse("\u{e9}").is_err());
    }

    #[test]
    fn arguments_have_their_order() {
        use ArgumentRole::{Column, Count, Length, Nothing, Value};
        for (text, arguments) in [
            ("d", [Nothing, Nothing, Value]),
            ("*.*d", [Column, Column, Value]),
            ("*.*s", [Column, Length, Value]),
            ("*ph", [Count, Nothing, Value]),
        ] {
            assert_eq!(parsed(text).arguments(), arguments, "%{text}");
        }
    }
}
