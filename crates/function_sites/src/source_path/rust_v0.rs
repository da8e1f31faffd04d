//! Names of Rust, as `-C symbol-mangling-version=v0` makes them.
//!
//! Source: Rust RFC 2603.

use super::mangled_text::MangledText;
use super::text::PathText;

/// Appends the path of a function; `symbol` is its name after `_R`.
pub(super) fn path(symbol: &[u8], text: &mut PathText) -> Option<()> {
    let end = symbol.iter().position(|byte| *byte == b'.').unwrap_or(symbol.len());
    Name { cursor: MangledText::new(symbol.get(..end)?), text, steps: 0 }.path()?;
    text.push(super::suffix(symbol.get(end..)?))
}

/// The most steps that a name takes: what it repeats may repeat other things.
const STEPS: u32 = 2000;

/// A name as it is read.
struct Name<'a, 't> {
    cursor: MangledText<'a>,
    text: &'t mut PathText,
    steps: u32,
}

impl<'a> Name<'a, '_> {
    /// One level deeper.
    fn within(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.steps += 1;
        (self.steps < STEPS).then_some(())?;
        self.cursor.enter()?;
        read(self)?;
        self.cursor.leave();
        Some(())
    }

    /// What is read, but not in the path.
    fn hidden(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.text.mute(true);
        read(self)?;
        self.text.mute(false);
        Some(())
    }

    fn path(&mut self) -> Option<()> {
        self.within(|name| match name.cursor.next()? {
            b'C' => name.identifier(b'v'),
            b'M' => {
                name.place_of_impl()?;
                name.any_type()
            }
            b'X' => {
                name.place_of_impl()?;
                name.any_type()?;
                name.hidden(Name::path)
            }
            b'Y' => {
                name.hidden(Name::any_type)?;
                name.path()
            }
            b'N' => {
                let namespace = name.cursor.next()?;
                name.path()?;
                name.identifier(namespace)
            }
            b'I' => {
                name.path()?;
                name.hidden(Name::arguments)
            }
            b'B' => name.back(Name::path),
            _ => None,
        })
    }

    /// Where an impl block is.
    fn place_of_impl(&mut self) -> Option<()> {
        self.disambiguator()?;
        self.hidden(Name::path)
    }

    /// Generic arguments, and the `E` after them.
    fn arguments(&mut self) -> Option<()> {
        while !self.cursor.take(b"E") {
            match self.cursor.peek() {
                b'L' => self.lifetime()?,
                b'K' => {
                    self.cursor.next()?;
                    self.constant()?;
                }
                _ => self.any_type()?,
            }
        }
        Some(())
    }

    fn any_type(&mut self) -> Option<()> {
        self.within(|name| match name.cursor.peek() {
            b'a'..=b'z' => name.basic_type(),
            b'A' => {
                name.named(b"slice")?;
                name.hidden(Name::any_type)?;
                name.constant()
            }
            b'S' => {
                name.named(b"slice")?;
                name.hidden(Name::any_type)
            }
            b'T' => {
                name.named(b"tuple")?;
                name.hidden(|name| name.types())
            }
            b'R' | b'Q' => {
                name.cursor.next()?;
                if name.cursor.peek() == b'L' {
                    name.lifetime()?;
                }
                name.any_type()
            }
            b'P' | b'O' => {
                name.cursor.next()?;
                name.any_type()
            }
            b'F' => {
                name.named(b"fn")?;
                name.hidden(Name::function)
            }
            b'D' => {
                name.cursor.next()?;
                name.object()
            }
            b'B' => {
                name.cursor.next()?;
                name.back(Name::any_type)
            }
            _ => name.path(),
        })
    }

    /// A letter, and the name that a type with it has here.
    fn named(&mut self, path: &[u8]) -> Option<()> {
        self.cursor.next()?;
        self.text.component(path)
    }

    fn types(&mut self) -> Option<()> {
        while !self.cursor.take(b"E") {
            self.any_type()?;
        }
        Some(())
    }

    fn basic_type(&mut self) -> Option<()> {
        let letter = self.cursor.next()?;
        let (_, name) = BASIC_TYPES.iter().find(|(known, _)| *known == letter)?;
        self.text.component(name.as_bytes())
    }

    /// A function's type, after its `F`.
    fn function(&mut self) -> Option<()> {
        self.binder()?;
        self.cursor.take(b"U");
        if self.cursor.take(b"K") && !self.cursor.take(b"C") {
            self.undisambiguated()?;
        }
        self.types()?;
        self.any_type()
    }

    /// A trait object's type, after its `D`: it has the path of its first trait.
    fn object(&mut self) -> Option<()> {
        self.binder()?;
        let mut is_first = true;
        while !self.cursor.take(b"E") {
            if is_first {
                self.path()?
            } else {
                self.hidden(Name::path)?
            }
            is_first = false;
            while self.cursor.take(b"p") {
                self.undisambiguated()?;
                self.hidden(Name::any_type)?;
            }
        }
        self.lifetime()
    }

    fn constant(&mut self) -> Option<()> {
        match self.cursor.next()? {
            b'p' => Some(()),
            b'B' => self.back(Name::constant),
            b'a'..=b'z' => {
                while self.cursor.next()? != b'_' {}
                Some(())
            }
            _ => None,
        }
    }

    /// What stands earlier in the name, read once more.
    fn back(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let to = self.number()?;
        let after = self.cursor;
        self.cursor = after.back_to(usize::try_from(to).ok()?)?;
        self.within(read)?;
        self.cursor = after;
        Some(())
    }

    fn lifetime(&mut self) -> Option<()> {
        self.cursor.take(b"L").then_some(())?;
        self.number().map(|_| ())
    }

    fn binder(&mut self) -> Option<()> {
        if self.cursor.take(b"G") { self.number().map(|_| ()) } else { Some(()) }
    }

    /// Which of several things with one name it is, from 0.
    fn disambiguator(&mut self) -> Option<u64> {
        if self.cursor.take(b"s") { self.number()?.checked_add(1) } else { Some(0) }
    }

    /// A number in base 62.
    fn number(&mut self) -> Option<u64> {
        let mut number: Option<u64> = None;
        loop {
            let digit = match self.cursor.next()? {
                b'_' => return number.map_or(Some(0), |number| number.checked_add(1)),
                digit @ b'0'..=b'9' => digit - b'0',
                digit @ b'a'..=b'z' => digit - b'a' + 10,
                digit @ b'A'..=b'Z' => digit - b'A' + 36,
                _ => return None,
            };
            number = Some(number.unwrap_or(0).checked_mul(62)?.checked_add(digit.into())?);
        }
    }

    /// The last name of a path; what has none is called after its kind.
    fn identifier(&mut self, namespace: u8) -> Option<()> {
        let number = self.disambiguator()?;
        let name = self.undisambiguated()?;
        if !namespace.is_ascii_uppercase() {
            return if name.is_empty() { Some(()) } else { self.text.component(name) };
        }
        self.text.component(if namespace == b'C' { b"{closure" } else { b"{shim" })?;
        if !name.is_empty() {
            self.text.push(b":")?;
            self.text.push(name)?;
        }
        self.text.push(b"#")?;
        self.text.number(number)?;
        self.text.push(b"}")
    }

    /// None for one that is not ASCII.
    fn undisambiguated(&mut self) -> Option<&'a [u8]> {
        if self.cursor.peek() == b'u' {
            return None;
        }
        // Names without letters may follow each other: `00`.
        let len = if self.cursor.take(b"0") { 0 } else { self.cursor.number()? };
        self.cursor.take(b"_");
        self.cursor.bytes(len)
    }
}

/// Types with a name of their own.
const BASIC_TYPES: [(u8, &str); 21] = [
    (b'a', "i8"),
    (b'b', "bool"),
    (b'c', "char"),
    (b'd', "f64"),
    (b'e', "str"),
    (b'f', "f32"),
    (b'h', "u8"),
    (b'i', "isize"),
    (b'j', "usize"),
    (b'l', "i32"),
    (b'm', "u32"),
    (b'n', "i128"),
    (b'o', "u128"),
    (b'p', "_"),
    (b's', "i16"),
    (b't', "u16"),
    (b'u', "unit"),
    (b'v', "variadic"),
    (b'x', "i64"),
    (b'y', "u64"),
    (b'z', "never"),
];
