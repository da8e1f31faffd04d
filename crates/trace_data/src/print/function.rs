//! The functions of the format language.

use super::expression::{Expression, NamedValue, Typed};
use super::operand::pointer;
use super::parse::Parser;
use super::token::Token;
use super::types::{INT, UNSIGNED_LONG, size_of};
use super::{Dialect, PrintError};
use crate::format::Kind;

impl Parser<'_> {
    /// What the function `name` returns; its opening parenthesis has been taken.
    pub(super) fn function(&mut self, name: &str) -> Result<Typed, PrintError> {
        match name {
            "__print_flags" | "__print_flags_u64" => self.flags(),
            "__print_symbolic" | "__print_symbolic_u64" => self.symbolic(),
            "__print_hex" => self.hex(true),
            "__print_hex_str" => self.hex(false),
            "__print_array" => self.array(),
            "__get_str" | "__get_rel_str" => self.dynamic_text(),
            "__get_bitmask" | "__get_rel_bitmask" => self.dynamic(Expression::Bitmask),
            "__get_cpumask" | "__get_rel_cpumask" => self.dynamic(Expression::Cpumask),
            "__get_dynamic_array"
            | "__get_rel_dynamic_array"
            | "__get_sockaddr"
            | "__get_rel_sockaddr"
            | "__get_sockaddr_rel" => self.dynamic(Expression::DynamicArray),
            "__get_dynamic_array_len" | "__get_rel_dynamic_array_len" => {
                let length = self.dynamic(Expression::Length)?;
                Ok(Typed { of: self.number_type(INT), ..length })
            }
            "__builtin_expect" => self.builtin_expect(),
            "sizeof" => self.size_of(),
            _ => Err(self.tokens.error(format!("function {name} is not known"))),
        }
    }

    /// `value, "delimiter", { bits, "name" }...)`. A missing delimiter is an empty one.
    fn flags(&mut self) -> Result<Typed, PrintError> {
        let value = Box::new(self.conditional()?.expression);
        self.expect(",")?;
        let delimiter = match self.tokens.peek()? {
            Token::Sign(",") => String::new(),
            _ => self.text()?,
        };
        let names = self.names()?;
        Ok(pointer(Expression::Flags { value, delimiter, names }))
    }

    /// `value, { value, "name" }...)`.
    fn symbolic(&mut self) -> Result<Typed, PrintError> {
        let value = Box::new(self.conditional()?.expression);
        let names = self.names()?;
        Ok(pointer(Expression::Symbolic { value, names }))
    }

    /// `array, length)`.
    fn hex(&mut self, blanks: bool) -> Result<Typed, PrintError> {
        let array = self.array_operand()?;
        self.expect(",")?;
        let length = Box::new(self.conditional()?.expression);
        self.expect(")")?;
        Ok(pointer(Expression::Hex { array, length, blanks }))
    }

    /// `array, count, bytes of an element)`.
    fn array(&mut self) -> Result<Typed, PrintError> {
        let array = self.array_operand()?;
        self.expect(",")?;
        let count = Box::new(self.conditional()?.expression);
        self.expect(",")?;
        let size = Box::new(self.conditional()?.expression);
        self.expect(")")?;
        Ok(pointer(Expression::Array { array, count, size }))
    }

    /// An array, whatever type it is cast to; the field that has it.
    fn array_operand(&mut self) -> Result<usize, PrintError> {
        let operand = self.conditional()?.expression;
        operand.array().ok_or_else(|| self.tokens.error("no array"))
    }

    /// `field)`, which must have its data elsewhere in the payload.
    fn dynamic(&mut self, of: fn(usize) -> Expression) -> Result<Typed, PrintError> {
        let field = self.dynamic_field()?;
        self.expect(")")?;
        Ok(pointer(of(field)))
    }

    fn dynamic_field(&mut self) -> Result<usize, PrintError> {
        let field = self.field()?;
        match self.fields[field].kind {
            Kind::DataLocation(_) | Kind::RelativeLocation(_) => Ok(field),
            _ => Err(self.tokens.error("no dynamic array")),
        }
    }

    /// `field)`, or `field[INDEX])` for one of several: arrays of strings of probes.
    fn dynamic_text(&mut self) -> Result<Typed, PrintError> {
        let field = self.dynamic_field()?;
        let index = match self.take_if("[")? {
            false => 0,
            true => {
                let Token::Number { value, .. } = self.tokens.next()? else {
                    return Err(self.tokens.error("no index"));
                };
                self.expect("]")?;
                value as usize
            }
        };
        self.expect(")")?;
        Ok(pointer(Expression::DynamicText(field, index)))
    }

    /// `value, probably)`.
    fn builtin_expect(&mut self) -> Result<Typed, PrintError> {
        let value = self.conditional()?;
        self.expect(",")?;
        self.conditional()?;
        self.expect(")")?;
        Ok(value)
    }

    /// `type)` or `REC->field)`.
    fn size_of(&mut self) -> Result<Typed, PrintError> {
        let mut words = Vec::new();
        let mut pointer = false;
        loop {
            match self.tokens.next()? {
                Token::Name("REC") if words.is_empty() => {
                    self.expect("->")?;
                    let field = self.field()?;
                    self.expect(")")?;
                    let size = self.fields[field].size as u64;
                    return Ok(Typed { expression: Expression::Number(size), of: UNSIGNED_LONG });
                }
                Token::Name(word) => words.push(word),
                Token::Sign("*") => pointer = true,
                Token::Sign(")") => break,
                _ => return Err(self.tokens.error("sizeof of what is no type")),
            }
        }
        let size = if pointer { Some(8) } else { size_of(&words) };
        let size = size.ok_or_else(|| self.tokens.error("sizeof of a type that is not known"))?;
        Ok(Typed { expression: Expression::Number(size as u64), of: UNSIGNED_LONG })
    }

    /// `, { value, "text" }`, any number of them, and the parenthesis after.
    fn names(&mut self) -> Result<Vec<NamedValue>, PrintError> {
        let mut names = Vec::new();
        while self.take_if(",")? {
            self.expect("{")?;
            let value = self.name_value()?;
            self.expect(",")?;
            names.extend(self.name_text()?.map(|text| NamedValue { value, text }));
            self.expect("}")?;
        }
        self.expect(")")?;
        Ok(names)
    }

    /// A string; `None` for a null pointer, which ends the kernel's tables. libtraceevent takes it
    /// for a text like any other.
    fn name_text(&mut self) -> Result<Option<String>, PrintError> {
        if let Token::Text(_) = self.tokens.peek()? {
            return self.text().map(Some);
        }
        match self.conditional()?.expression {
            Expression::Number(0) if self.dialect == Dialect::Kernel => Ok(None),
            Expression::Number(value) => Ok(Some(value.to_string())),
            _ => Err(self.tokens.error("no constant")),
        }
    }

    /// A constant. A name that the kernel left there stands for all bits, as in libtraceevent,
    /// which takes negative numbers for such names, too.
    fn name_value(&mut self) -> Result<u64, PrintError> {
        let first = self.tokens.peek()?;
        let report = self.dialect == Dialect::Report;
        match self.conditional()?.expression {
            Expression::Number(_) if matches!(first, Token::Name(_)) => Ok(u64::MAX),
            Expression::Number(value) if report && (value as i64) < 0 => match first {
                Token::Number { .. } => Ok(value),
                _ => Ok(u64::MAX),
            },
            Expression::Number(value) => Ok(value),
            _ => Err(self.tokens.error("no constant")),
        }
    }
}
