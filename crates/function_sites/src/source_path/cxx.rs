//! Names of C++.
//!
//! Source: the Itanium C++ ABI, 5.1 "External Names (a.k.a. Mangling)".

use super::mangled_text::MangledText;
use super::suffix;
use super::text::PathText;

/// Appends the path of a function; `symbol` is its name after `_Z`.
pub(super) fn path(symbol: &[u8], text: &mut PathText) -> Option<()> {
    let end = symbol.iter().position(|byte| *byte == b'.').unwrap_or(symbol.len());
    CxxName { cursor: MangledText::new(symbol.get(..end)?), text }.name()?;
    // What is left are types.
    text.push(suffix(symbol.get(end..)?))
}

/// A name as it is read.
pub(super) struct CxxName<'a, 't> {
    pub(super) cursor: MangledText<'a>,
    pub(super) text: &'t mut PathText,
}

impl CxxName<'_, '_> {
    /// `<name>`, with the arguments of a template.
    pub(super) fn name(&mut self) -> Option<()> {
        self.cursor.enter()?;
        match self.cursor.peek() {
            b'N' => self.nested()?,
            b'Z' => self.local()?,
            b'S' => {
                let is_std = self.cursor.peek_second() == b't';
                self.substitution()?;
                if is_std {
                    self.unqualified()?;
                }
            }
            _ => self.unqualified()?,
        }
        if self.cursor.peek() == b'I' {
            self.skip_arguments()?;
        }
        self.cursor.leave();
        Some(())
    }

    /// `N [QUALIFIERS] PREFIX... NAME E`.
    fn nested(&mut self) -> Option<()> {
        self.cursor.next()?;
        while matches!(self.cursor.peek(), b'r' | b'V' | b'K' | b'R' | b'O' | b'H') {
            self.cursor.next()?;
        }
        while !self.cursor.take(b"E") {
            match (self.cursor.peek(), self.cursor.peek_second()) {
                (b'S', _) => self.substitution()?,
                (b'I', _) => self.skip_arguments()?,
                (b'T', _) | (b'D', b't' | b'T') if self.text.is_muted() => self.skip_type()?,
                (b'M', _) => self.cursor.next().map(|_| ())?,
                _ => self.unqualified()?,
            }
        }
        Some(())
    }

    /// `Z ENCODING E NAME [DISCRIMINATOR]`, of what is inside of a function.
    fn local(&mut self) -> Option<()> {
        self.cursor.next()?;
        self.encoding()?;
        if self.cursor.take(b"s") {
            // A string of the function.
            return self.discriminator();
        }
        if self.cursor.take(b"d") {
            let _ = self.cursor.number();
            self.cursor.take(b"_").then_some(())?;
        }
        self.name()?;
        self.discriminator()
    }

    /// A name, its types, and the `E` after them.
    pub(super) fn encoding(&mut self) -> Option<()> {
        self.name()?;
        while !self.cursor.take(b"E") {
            self.skip_type()?;
        }
        Some(())
    }

    /// `_ DIGIT` or `__ NUMBER _`, if it is there.
    fn discriminator(&mut self) -> Option<()> {
        if self.cursor.take(b"__") {
            self.cursor.number()?;
            self.cursor.take(b"_").then_some(())
        } else if self.cursor.peek() == b'_' && self.cursor.peek_second().is_ascii_digit() {
            self.cursor.bytes(2).map(|_| ())
        } else {
            Some(())
        }
    }

    /// `S` and what it stands for. What stands for something earlier in the name is not looked up: in a path
    /// nothing comes before it.
    pub(super) fn substitution(&mut self) -> Option<()> {
        self.cursor.next()?;
        let standard: &[u8] = match self.cursor.next()? {
            b't' => b"std",
            b'a' => b"std::allocator",
            b'b' => b"std::basic_string",
            b's' => b"std::string",
            b'i' => b"std::istream",
            b'o' => b"std::ostream",
            b'd' => b"std::iostream",
            b'_' if self.text.is_muted() => return Some(()),
            _ if self.text.is_muted() => {
                while self.cursor.next()? != b'_' {}
                return Some(());
            }
            _ => return None,
        };
        self.text.component(standard)
    }

    /// `<unqualified-name>`, with its tags.
    pub(super) fn unqualified(&mut self) -> Option<()> {
        while self.cursor.take(b"W") {
            self.cursor.take(b"P");
            self.cursor.source_name()?;
        }
        while matches!(self.cursor.peek(), b'L' | b'F') {
            self.cursor.next()?;
        }
        match (self.cursor.peek(), self.cursor.peek_second()) {
            (b'0'..=b'9', _) => match self.cursor.source_name()? {
                name if name.starts_with(b"_GLOBAL__N") => self.text.component(b"{anonymous}")?,
                name => self.text.component(name)?,
            },
            (b'C', b'I') => {
                self.cursor.bytes(3)?;
                self.skip_type()?;
                self.text.repeat_last(b"")?;
            }
            (b'C', b'1'..=b'5') => {
                self.cursor.bytes(2)?;
                self.text.repeat_last(b"")?;
            }
            (b'D', b'0'..=b'5') => {
                self.cursor.bytes(2)?;
                self.text.repeat_last(b"~")?;
            }
            (b'U', _) => self.unnamed()?,
            (b'a'..=b'z', _) => self.operator()?,
            _ => return None,
        }
        while self.cursor.take(b"B") {
            self.cursor.source_name()?;
        }
        Some(())
    }

    /// `Ut [NUMBER] _`, a type without name, or `Ul TYPES E [NUMBER] _`, a lambda.
    fn unnamed(&mut self) -> Option<()> {
        self.cursor.next()?;
        let is_lambda = match self.cursor.next()? {
            b'l' => true,
            b't' => false,
            _ => return None,
        };
        while is_lambda && !self.cursor.take(b"E") {
            self.skip_type()?;
        }
        let number = self.cursor.number().map_or(1, |number| (number as u64).saturating_add(2));
        self.cursor.take(b"_").then_some(())?;
        self.text.component(if is_lambda { b"{lambda#" } else { b"{unnamed#" })?;
        self.text.number(number)?;
        self.text.push(b"}")
    }

    /// `<operator-name>`.
    fn operator(&mut self) -> Option<()> {
        let code = self.cursor.bytes(2)?;
        self.text.component(b"operator")?;
        match code {
            b"cv" => self.skip_type(),
            b"li" => {
                self.text.push(b"\"\"")?;
                self.text.push(self.cursor.source_name()?)
            }
            _ => self.text.push(OPERATORS.iter().find(|(known, _)| *known == code)?.1.as_bytes()),
        }
    }
}

/// The operators that functions can be.
const OPERATORS: [(&[u8; 2], &str); 48] = [
    (b"nw", "_new"),
    (b"na", "_new[]"),
    (b"dl", "_delete"),
    (b"da", "_delete[]"),
    (b"aw", "_co_await"),
    (b"ps", "+"),
    (b"ng", "-"),
    (b"ad", "&"),
    (b"de", "*"),
    (b"co", "~"),
    (b"pl", "+"),
    (b"mi", "-"),
    (b"ml", "*"),
    (b"dv", "/"),
    (b"rm", "%"),
    (b"an", "&"),
    (b"or", "|"),
    (b"eo", "^"),
    (b"aS", "="),
    (b"pL", "+="),
    (b"mI", "-="),
    (b"mL", "*="),
    (b"dV", "/="),
    (b"rM", "%="),
    (b"aN", "&="),
    (b"oR", "|="),
    (b"eO", "^="),
    (b"ls", "<<"),
    (b"rs", ">>"),
    (b"lS", "<<="),
    (b"rS", ">>="),
    (b"eq", "=="),
    (b"ne", "!="),
    (b"lt", "<"),
    (b"gt", ">"),
    (b"le", "<="),
    (b"ge", ">="),
    (b"ss", "<=>"),
    (b"nt", "!"),
    (b"aa", "&&"),
    (b"oo", "||"),
    (b"pp", "++"),
    (b"mm", "--"),
    (b"cm", ","),
    (b"pm", "->*"),
    (b"pt", "->"),
    (b"cl", "()"),
    (b"ix", "[]"),
];
