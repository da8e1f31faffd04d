//! A format: text, and conversions in it.

use crate::conversion::Conversion;

/// A format of printf(3), or what is left of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format<'a>(&'a str);

/// What a format has that no event can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsupported {
    /// The character at which it was found: a conversion's letter, in most cases; a zero byte at the end.
    pub letter: char,
}

/// A part of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text as it is. `%%` is text of its own, a single `%`.
    Text(&'a str),
    /// A conversion.
    Conversion(Conversion<'a>),
    /// A conversion that no event can have. Nothing follows it.
    Unsupported(Unsupported),
}

/// The first part of a format, and the rest.
pub type Next<'a> = Option<(Piece<'a>, Format<'a>)>;

impl<'a> Format<'a> {
    /// The format that is this text.
    pub const fn new(text: &'a str) -> Format<'a> {
        Format(text)
    }

    /// Its first part. None of an empty one.
    pub const fn next(self) -> Next<'a> {
        let text = self.0;
        let end = end_of_text(text);
        if let Some((text, rest)) = text.split_at_checked(end)
            && end > 0
        {
            return Some((Piece::Text(text), Format(rest)));
        }
        let Some((sign, rest)) = text.split_at_checked(1) else { return None };
        if let [b'%', ..] = rest.as_bytes()
            && let Some((_, rest)) = rest.split_at_checked(1)
        {
            return Some((Piece::Text(sign), Format(rest)));
        }
        match Conversion::parse(rest) {
            Ok((found, rest)) => Some((Piece::Conversion(found), Format(rest))),
            Err(unsupported) => Some((Piece::Unsupported(unsupported), Format(""))),
        }
    }

    /// All parts.
    pub const fn pieces(self) -> Pieces<'a> {
        Pieces(self)
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
pub struct Pieces<'a>(Format<'a>);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
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
        let pieces: Vec<Piece<'_>> = Format::new("\u{e9} 100%% of %5s%d").pieces().collect();
        let [Piece::Text(a), Piece::Text(b), Piece::Text(c), Piece::Conversion(_), Piece::Conversion(_)] =
            pieces[..]
        else {
            panic!("{pieces:?}")
        };
        assert_eq!([a, b, c], ["\u{e9} 100", "%", " of "]);
        assert_eq!(Format::new("").next(), None);
    }

    #[test]
    fn nothing_follows_what_is_not_supported() {
        let pieces: Vec<Piece<'_>> = Format::new("%f %d").pieces().collect();
        assert_eq!(pieces, [Piece::Unsupported(Unsupported { letter: 'f' })]);
        assert_eq!(Format::new("50%").pieces().count(), 2);
    }

    #[test]
    fn any_text_has_an_end() {
        let mut text = String::new();
        for letter in "%%-%*.5lhd%\u{20ac}s%ph%7phN'%n".chars() {
            text.push(letter);
            assert!(Format::new(&text).pieces().count() <= text.len());
        }
    }
}
