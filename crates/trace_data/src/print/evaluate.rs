//! Evaluating a print format on one record.

use super::Dialect;
use super::conversion::{Conversion, ConversionKind, MAX_AMOUNT};
use super::expression::{Binary, Expression};
use super::integer::{self, Column};
use crate::digits::{fill, hex};
use crate::format::Field;
use crate::symbols::Symbols;

/// A conversion and its arguments.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) conversion: Conversion,
    pub(super) argument: Expression,
    pub(super) width: Option<Expression>,
    pub(super) precision: Option<Expression>,
}

/// A record, and what it takes to print it.
pub(super) struct Evaluator<'a> {
    pub(super) fields: &'a [Field],
    pub(super) payload: &'a [u8],
    pub(super) symbols: &'a dyn Symbols,
    pub(super) dialect: Dialect,
}

impl<'a> Evaluator<'a> {
    /// Appends the text of one conversion.
    pub(super) fn print(&self, value: &Value, out: &mut Vec<u8>) {
        let column = self.column(value);
        match value.conversion.kind {
            ConversionKind::Signed
            | ConversionKind::Unsigned
            | ConversionKind::Hex { .. }
            | ConversionKind::Octal => {
                let number = self.number(&value.argument);
                integer::print(&value.conversion, column, number, self.dialect, out);
            }
            ConversionKind::Character => {
                let start = out.len();
                out.push(self.number(&value.argument) as u8);
                justify(out, start, Column { precision: None, ..column });
            }
            ConversionKind::Text => {
                let start = out.len();
                match self.dialect {
                    Dialect::Kernel => {
                        self.text(&value.argument, None, out);
                        justify(out, start, column);
                    }
                    Dialect::Report => self.text(&value.argument, Some(column), out),
                }
            }
            ConversionKind::Pointer => self.pointer(self.number(&value.argument), out),
            ConversionKind::Symbol { offset } => self.symbol(self.number(&value.argument), offset, out),
            _ => self.address(value, out),
        }
    }

    /// Width and precision, which may be arguments.
    fn column(&self, value: &Value) -> Column {
        let amount = |amount: &Option<Expression>| amount.as_ref().map(|amount| self.number(amount) as i32);
        let width = amount(&value.width).unwrap_or(0);
        let precision = amount(&value.precision).and_then(|precision| usize::try_from(precision).ok());
        Column {
            left: value.conversion.left || width < 0,
            width: (width.unsigned_abs() as usize).min(MAX_AMOUNT),
            precision: precision.map(|precision| precision.min(MAX_AMOUNT)),
        }
    }

    /// The number that `expression` is; 0 for strings and for what lies outside the payload.
    pub(super) fn number(&self, expression: &Expression) -> u64 {
        match expression {
            Expression::Number(value) => *value,
            Expression::Field(field) => {
                let field = &self.fields[*field];
                let signed = field.signed && self.dialect == Dialect::Kernel;
                field.raw(self.payload, signed).unwrap_or(0)
            }
            Expression::Element { field, index, of } => {
                let bytes = self.fields[*field].bytes(self.payload).unwrap_or_default();
                element(bytes, self.number(index), of.size).map_or(0, |value| of.wrap(value))
            }
            Expression::Length(field) => {
                self.fields[*field].bytes(self.payload).map_or(0, |bytes| bytes.len() as u64)
            }
            Expression::Unary(operator, of, value) => operator.compute(*of, self.number(value)),
            Expression::Binary(operator, of, operands) => {
                let left = self.number(&operands[0]);
                match (operator, left) {
                    (Binary::LogicalAnd, 0) => 0,
                    (Binary::LogicalOr, 1..) => 1,
                    _ => operator.compute(*of, left, self.number(&operands[1])),
                }
            }
            Expression::Conditional(parts) => self.number(self.choose(parts)),
            Expression::Cast(cast, value) => cast.compute(self.number(value)),
            _ => 0,
        }
    }

    pub(super) fn choose<'e>(&self, [condition, one, other]: &'e [Expression; 3]) -> &'e Expression {
        if self.number(condition) != 0 { one } else { other }
    }

    /// The elements of an array; none when they lie outside the payload.
    pub(super) fn bytes(&self, field: usize) -> &'a [u8] {
        self.fields[field].bytes(self.payload).unwrap_or_default()
    }

    pub(super) fn pointer(&self, value: u64, out: &mut Vec<u8>) {
        match self.dialect {
            Dialect::Kernel => hex(value, 16, out),
            Dialect::Report if value == 0 => out.extend_from_slice(b"(nil)"),
            Dialect::Report => prefixed_hex(value, out),
        }
    }

    /// The name of an address.
    fn symbol(&self, address: u64, offset: bool, out: &mut Vec<u8>) {
        let Some(symbol) = self.symbols.symbol(address) else {
            return prefixed_hex(address, out);
        };
        out.extend_from_slice(symbol.name.as_bytes());
        if offset {
            out.push(b'+');
            prefixed_hex(symbol.offset, out);
        }
        if self.dialect == Dialect::Report {
            return;
        }
        if let Some(size) = symbol.size.filter(|_| offset) {
            out.push(b'/');
            prefixed_hex(size, out);
        }
        if let Some(module) = symbol.module {
            out.extend_from_slice(b" [");
            out.extend_from_slice(module.as_bytes());
            out.push(b']');
        }
        self.symbols.source(address, out);
    }
}

/// The number of `size` bytes at `index` of an array of such.
pub(super) fn element(bytes: &[u8], index: u64, size: usize) -> Option<u64> {
    let start = usize::try_from(index).ok()?.checked_mul(size)?;
    let bytes = bytes.get(start..start.checked_add(size)?)?;
    let mut value = [0; 8];
    value[..size].copy_from_slice(bytes);
    Some(u64::from_le_bytes(value))
}

pub(super) fn prefixed_hex(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"0x");
    hex(value, 0, out);
}

/// Cuts what has been appended since `start` to the precision and fills the width.
pub(super) fn justify(out: &mut Vec<u8>, start: usize, column: Column) {
    if let Some(precision) = column.precision {
        out.truncate(start.saturating_add(precision));
    }
    let length = out.len() - start;
    if column.width > length {
        fill(b' ', column.width - length, out);
        if !column.left {
            out[start..].rotate_right(column.width - length);
        }
    }
}
