//! A format: text, and conversions in it.

use crate::conversion::FormatConversion;
use crate::unsupported::Unsupported;

/// A format of printf(3), or what is left of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatString<'a>(&'a str);

/// A part of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatPiece<'a> {
    /// Text as it is. `%%` is text of its own, a single `%`.
    Text(&'a str),
    /// A conversion.
    Conversion(FormatConversion<'a>),
    /// A conversion that no event can have. Nothing follows it.
    Unsupported(Unsupported),
}

impl<'a> FormatString<'a> {
    /// The format that is this text.
    pub const fn new(text: &'a str) -> FormatString<'a> {
        FormatString(text)
    }

    /// Its first part. None of an empty one.
    pub const fn next(self) -> Option<(FormatPiece<'a>, FormatString<'a>)> {
        let text = self.0;
        let end = end_of_text(text);
        if let Some((text, rest)) = text.split_at_checked(end)
            && end > 0
        {
            return Some((FormatPiece::Text(text), FormatString(rest)));
        }
        let Some((sign, rest)) = text.split_at_checked(1) else { return None };
        if let [b'%', ..] = rest.as_bytes()
            && let Some((_, rest)) = rest.split_at_checked(1)
        {
            return Some((FormatPiece::Text(sign), FormatString(rest)));
        }
        match FormatConversion::parse(rest) {
            Ok((found, rest)) => Some((FormatPiece::Conversion(found), FormatString(rest))),
            Err(unsupported) => Some((FormatPiece::Unsupported(unsupported), FormatString(""))),
        }
    }

    /// All parts.
    pub const fn pieces(self) -> FormatPieces<'a> {
        FormatPieces(self)
    }
}

/// Where text ends: at the first `%`.
const fn end_of_text(text: &str) -> usize {
    let (mut bytes, mut end) = (text.as_bytes(), 0);
    while let [byte, rest @ ..] = bytes
        && *byte != b'%'
    {
        (bytes, end) = (rest, end + 1);
    }
    end
}

/// The parts of a format.
#[derive(Debug, Clone)]
pub struct FormatPieces<'a>(FormatString<'a>);

impl<'a> Iterator for FormatPieces<'a> {
    type Item = FormatPiece<'a>;

    fn next(&mut self) -> Option<FormatPiece<'a>> {
        let (piece, rest) = self.0.next()?;
        self.0 = rest;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    #[test]
    fn text_and_conversions_alternate() {
        let pieces: Vec<FormatPiece<'_>> = FormatString::new("\u{e9} 100%% of %5s%d").pieces().collect();
        let [
            FormatPiece::Text(a),
            FormatPiece::Text(b),
            FormatPiece::Text(c),
            FormatPiece::Conversion(_),
            FormatPiece::Conversion(_),
        ] = pieces[..]
        else {
            panic!("{pieces:?}")
        };
        assert_eq!([a, b, c], ["\u{e9} 100", "%", " of "]);
        assert_eq!(FormatString::new("").next(), None);
    }

    #[test]
    fn nothing_follows_what_is_not_supported() {
        let pieces: Vec<FormatPiece<'_>> = FormatString::new("%f %d").pieces().collect();
        assert_eq!(pieces, [FormatPiece::Unsupported(Unsupported { letter: 'f' })]);
        assert_eq!(FormatString::new("50%").pieces().count(), 2);
    }

    #[test]
    fn any_text_has_an_end() {
        let mut text = String::new();
        for letter in "%%-%*.5lhd%\u{20ac}s%ph%7phN'%n".chars() {
            text.push(letter);
            assert!(FormatString::new(&text).pieces().count() <= text.len());
        }
    }
}
