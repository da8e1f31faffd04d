//! Operands: constants, fields and their elements.

use super::expression::{Expression, Typed};
use super::parse::Parser;
use super::token::Token;
use super::types::{Cast, INT, Integer, UNSIGNED_LONG};
use super::{Dialect, PrintError};
use crate::format::{Field, Kind};

impl Parser<'_> {
    /// A constant, a field or the result of a function, with subscripts.
    pub(super) fn operand(&mut self) -> Result<Typed, PrintError> {
        let value = match self.tokens.peek()? {
            Token::Number { value, unsigned, long } => {
                self.tokens.next()?;
                Typed { expression: Expression::Number(value), of: self.constant(value, unsigned, long) }
            }
            Token::Text(_) => pointer(Expression::Text(self.text()?)),
            Token::Name("REC") => {
                self.tokens.next()?;
                self.record()?
            }
            Token::Name(name) => {
                self.tokens.next()?;
                if self.take_if("(")? {
                    self.function(name)?
                } else {
                    // A name that the kernel left in the format: an enumerator, a variable.
                    // Nobody outside knows its value.
                    Typed { expression: Expression::Number(0), of: self.number_type(INT) }
                }
            }
            _ => return Err(self.tokens.error("an operand is missing")),
        };
        self.subscripts(value)
    }

    /// `->field`, after the record.
    pub(super) fn record(&mut self) -> Result<Typed, PrintError> {
        self.expect("->")?;
        let field = self.field()?;
        let of = match self.fields[field].kind {
            Kind::Integer => Integer { size: self.fields[field].size, signed: self.fields[field].signed },
            _ => UNSIGNED_LONG,
        };
        let of = if matches!(of.size, 1 | 2 | 4 | 8) { of } else { UNSIGNED_LONG };
        Ok(Typed { expression: Expression::Field(field), of: self.number_type(of) })
    }

    pub(super) fn subscripts(&mut self, mut value: Typed) -> Result<Typed, PrintError> {
        while self.take_if("[")? {
            let index = self.conditional()?;
            self.expect("]")?;
            value = self.element(value, index)?;
        }
        Ok(value)
    }

    /// The element of an array, whose type a cast may have changed.
    pub(super) fn element(&mut self, array: Typed, index: Typed) -> Result<Typed, PrintError> {
        let (array, of) = match array.expression {
            Expression::Cast(Cast::Pointer(target), array) => (*array, target),
            array => (array, None),
        };
        let (Expression::Field(field) | Expression::DynamicArray(field)) = array else {
            return Err(self.tokens.error("an element of what is no array"));
        };
        let of = of.or_else(|| element_type(&self.fields[field]));
        let of = of.ok_or_else(|| self.tokens.error("elements of unknown size"))?;
        let index = Box::new(index.expression);
        // Read as the dialect reads numbers: libtraceevent doesn't extend by the sign.
        let read = match self.dialect {
            Dialect::Kernel => of,
            Dialect::Report => Integer { signed: false, ..of },
        };
        let expression = Expression::Element { field, index, of: read };
        self.count(Typed { expression, of: self.number_type(of) })
    }

    /// Takes the name of a field; its index.
    pub(super) fn field(&mut self) -> Result<usize, PrintError> {
        let Token::Name(name) = self.tokens.next()? else {
            return Err(self.tokens.error("the name of a field is missing"));
        };
        let found = self.fields.iter().position(|field| field.name == name);
        found.ok_or_else(|| self.tokens.error(format!("no field {name}")))
    }

    /// A constant string; neighbours are one.
    pub(super) fn text(&mut self) -> Result<String, PrintError> {
        let Token::Text(mut text) = self.tokens.next()? else {
            return Err(self.tokens.error("a string is missing"));
        };
        while let Token::Text(more) = self.tokens.peek()? {
            self.tokens.next()?;
            text.push_str(&more);
        }
        Ok(text)
    }

    /// The type of a constant: the first that it fits.
    fn constant(&self, value: u64, unsigned: bool, long: bool) -> Integer {
        let small = if unsigned { u64::from(u32::MAX) } else { i32::MAX as u64 };
        let size = if long || value > small { 8 } else { 4 };
        let signed = !unsigned && value <= i64::MAX as u64;
        self.number_type(Integer { size, signed })
    }
}

/// A string or array, as an operand.
pub(super) fn pointer(expression: Expression) -> Typed {
    Typed { expression, of: UNSIGNED_LONG }
}

fn element_type(field: &Field) -> Option<Integer> {
    let size = field.element_type()?.size;
    matches!(size, 1 | 2 | 4 | 8).then_some(Integer { size, signed: field.signed })
}
