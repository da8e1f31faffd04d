//! Types and arguments of templates in names of C++, which are read only to find their ends.

use super::cxx::CxxName;

impl CxxName<'_, '_> {
    /// Reads `<type>`.
    pub(super) fn skip_type(&mut self) -> Option<()> {
        self.cursor.enter()?;
        self.text.mute(true);
        self.any_type()?;
        self.text.mute(false);
        self.cursor.leave();
        Some(())
    }

    /// Reads `I ARGUMENT... E`, or a pack of arguments `J ARGUMENT... E`.
    pub(super) fn skip_arguments(&mut self) -> Option<()> {
        self.cursor.enter()?;
        self.text.mute(true);
        self.cursor.next()?;
        while !self.cursor.take(b"E") {
            match self.cursor.peek() {
                b'L' => self.literal()?,
                b'J' => self.skip_arguments()?,
                b'X' => self.expression()?,
                _ => self.skip_type()?,
            }
        }
        self.text.mute(false);
        self.cursor.leave();
        Some(())
    }

    fn any_type(&mut self) -> Option<()> {
        while matches!(self.cursor.peek(), b'P' | b'R' | b'O' | b'K' | b'V' | b'r' | b'C' | b'G') {
            self.cursor.next()?;
        }
        match self.cursor.peek() {
            b'v' | b'w' | b'b' | b'c' | b'a' | b'h' | b's' | b't' | b'i' | b'j' | b'l' | b'm' | b'x'
            | b'y' | b'n' | b'o' | b'f' | b'd' | b'e' | b'g' | b'z' => self.cursor.next().map(|_| ()),
            b'u' => {
                self.cursor.next()?;
                self.cursor.source_name()?;
                self.arguments()
            }
            b'U' if matches!(self.cursor.peek_second(), b'l' | b't') => self.unqualified(),
            b'U' => {
                self.cursor.next()?;
                self.cursor.source_name()?;
                self.arguments()?;
                self.skip_type()
            }
            b'F' => self.function(),
            b'A' => self.array(),
            b'M' => {
                self.cursor.next()?;
                self.skip_type()?;
                self.skip_type()
            }
            b'D' => self.d_type(),
            b'T' => self.parameter(),
            b'S' => {
                let is_std = self.cursor.peek_second() == b't';
                self.substitution()?;
                if is_std {
                    self.unqualified()?;
                }
                self.arguments()
            }
            b'N' | b'Z' | b'0'..=b'9' => self.name(),
            _ => None,
        }
    }

    /// The arguments of a template, if they are there.
    fn arguments(&mut self) -> Option<()> {
        if self.cursor.peek() == b'I' { self.skip_arguments() } else { Some(()) }
    }

    /// `F [Y] TYPES [R | O] E`.
    fn function(&mut self) -> Option<()> {
        self.cursor.next()?;
        self.cursor.take(b"Y");
        loop {
            if self.cursor.take(b"E") || self.cursor.take(b"RE") || self.cursor.take(b"OE") {
                return Some(());
            }
            self.skip_type()?;
        }
    }

    /// `A [NUMBER] _ TYPE`.
    fn array(&mut self) -> Option<()> {
        self.cursor.next()?;
        let _ = self.cursor.number();
        self.cursor.take(b"_").then_some(())?;
        self.skip_type()
    }

    /// What begins with `D`.
    fn d_type(&mut self) -> Option<()> {
        self.cursor.next()?;
        match self.cursor.next()? {
            b'e' | b'f' | b'h' | b'i' | b's' | b'u' | b'a' | b'c' | b'n' | b'd' => Some(()),
            b'p' => self.skip_type(),
            b'o' | b'x' => self.function(),
            b'F' => {
                self.cursor.number()?;
                matches!(self.cursor.next()?, b'_' | b'b' | b'x').then_some(())
            }
            b'B' | b'U' => {
                self.cursor.number()?;
                self.cursor.take(b"_").then_some(())
            }
            b'v' => {
                self.cursor.number()?;
                self.cursor.take(b"_").then_some(())?;
                self.cursor.take(b"p");
                if matches!(self.cursor.peek(), b'E' | b'_') { Some(()) } else { self.skip_type() }
            }
            // Types that are computed.
            _ => None,
        }
    }

    /// A parameter of a template, or its kind.
    fn parameter(&mut self) -> Option<()> {
        self.cursor.next()?;
        match self.cursor.peek() {
            b'y' => self.cursor.next().map(|_| ()),
            b'n' | b'p' => {
                self.cursor.next()?;
                self.skip_type()
            }
            b's' | b'u' | b'e' => {
                self.cursor.next()?;
                self.name()
            }
            _ => {
                if self.cursor.take(b"L") {
                    let _ = self.cursor.number();
                    self.cursor.take(b"_").then_some(())?;
                }
                let _ = self.cursor.number();
                self.cursor.take(b"_").then_some(())?;
                self.arguments()
            }
        }
    }

    /// `L TYPE VALUE E`, or `L_Z ENCODING E`.
    fn literal(&mut self) -> Option<()> {
        if self.cursor.take(b"L_Z") {
            return self.encoding();
        }
        self.cursor.next()?;
        self.skip_type()?;
        while self.cursor.next()? != b'E' {}
        Some(())
    }

    /// `X EXPRESSION E`, of expressions that instances have: a function's or an object's address.
    fn expression(&mut self) -> Option<()> {
        self.cursor.next()?;
        let _ = self.cursor.take(b"ad");
        (self.cursor.peek() == b'L').then_some(())?;
        self.literal()?;
        self.cursor.take(b"E").then_some(())
    }
}
