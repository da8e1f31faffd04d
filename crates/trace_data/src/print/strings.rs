//! Strings: what `%s` prints.

use super::Dialect;
use super::evaluate::{Evaluator, element, justify, prefixed_hex};
use super::expression::{Expression, NamedValue};
use super::integer::Column;
use crate::bytes::until_nul;
use crate::digits::{decimal, hex};

impl Evaluator<'_> {
    /// Appends the string that `expression` is. With `pieces`, each piece is justified in that
    /// column on its own, and what libtraceevent prints past the column is not.
    pub(super) fn text(&self, expression: &Expression, pieces: Option<Column>, out: &mut Vec<u8>) {
        let start = out.len();
        match expression {
            Expression::Text(text) => out.extend_from_slice(text.as_bytes()),
            Expression::DynamicText(field, index) => {
                let bytes = self.fields[*field].located_element(self.payload, *index).unwrap_or_default();
                if bytes.is_empty() {
                    return;
                }
                out.extend_from_slice(until_nul(bytes));
            }
            Expression::Field(field) => {
                let field = &self.fields[*field];
                if field.element_type().is_none() && field.size == 8 {
                    return self.string_at(field.raw(self.payload, false).unwrap_or(0), out);
                }
                out.extend_from_slice(until_nul(field.bytes(self.payload).unwrap_or_default()));
            }
            Expression::Flags { value, delimiter, names } => {
                return flags(self.number(value), delimiter, names, pieces, out);
            }
            Expression::Symbolic { value, names } => {
                let value = self.number(value);
                let Some(name) = names.iter().find(|name| name.value == value) else {
                    return prefixed_hex(value, out);
                };
                out.extend_from_slice(name.text.as_bytes());
            }
            Expression::Hex { array, length, blanks } => {
                return self.hex(*array, self.number(length), *blanks, out);
            }
            Expression::Array { array, count, size } => {
                return self.array(*array, self.number(count), self.number(size), out);
            }
            Expression::Bitmask(field) => bitmask(self.bytes(*field), out),
            Expression::Cpumask(field) => match self.dialect {
                Dialect::Kernel => bitmask(self.bytes(*field), out),
                Dialect::Report => cpumask(self.bytes(*field), out),
            },
            Expression::Conditional(parts) => return self.text(self.choose(parts), pieces, out),
            // libtraceevent prints nothing for a string after a cast.
            Expression::Cast(_, value) if self.dialect == Dialect::Kernel => {
                return self.text(value, pieces, out);
            }
            _ => return,
        }
        justify(out, start, pieces.unwrap_or_default());
    }

    /// A constant string that the record points to; its address when nobody knows it.
    fn string_at(&self, address: u64, out: &mut Vec<u8>) {
        match self.symbols.string(address) {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => hex(address, 0, out),
        }
    }

    fn hex(&self, array: usize, length: u64, blanks: bool, out: &mut Vec<u8>) {
        let bytes = self.bytes(array);
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len());
        for (index, byte) in bytes[..length].iter().enumerate() {
            if blanks && index > 0 {
                out.push(b' ');
            }
            hex(u64::from(*byte), 2, out);
        }
    }

    fn array(&self, array: usize, count: u64, size: u64, out: &mut Vec<u8>) {
        let bytes = self.bytes(array);
        out.push(b'{');
        for index in 0..count {
            let known = matches!(size, 1 | 2 | 4 | 8);
            let Some(value) = element(bytes, index, if known { size as usize } else { 1 }) else {
                break;
            };
            if index > 0 {
                out.push(b',');
            }
            if !known {
                out.extend_from_slice(format!("BAD SIZE:{} ", size as i32).as_bytes());
            }
            prefixed_hex(value, out);
        }
        out.push(b'}');
    }
}

/// The names of the bits set, as the kernel finds them; in `pieces` as libtraceevent does. That computes with
/// signs, so that a name for the highest bit is taken for one of no bits at all, and one of no bits is never
/// found.
fn flags(mut value: u64, delimiter: &str, names: &[NamedValue], pieces: Option<Column>, out: &mut Vec<u8>) {
    let first = out.len();
    let column = pieces.unwrap_or_default();
    for name in names {
        let is_set = value & name.value == name.value;
        match pieces {
            None if value == 0 => return,
            Some(_) if (name.value as i64) < 0 && value == 0 => return put(&name.text, column, out),
            Some(_) if name.value as i64 <= 0 => {}
            _ if is_set => {
                delimit(first, delimiter, out);
                put(&name.text, column, out);
                value &= !name.value;
            }
            _ => {}
        }
    }
    if value != 0 {
        delimit(first, delimiter, out);
        prefixed_hex(value, out);
    }
}

/// Appends `delimiter` unless nothing has been appended since `first`.
fn delimit(first: usize, delimiter: &str, out: &mut Vec<u8>) {
    if out.len() > first {
        out.extend_from_slice(delimiter.as_bytes());
    }
}

/// Appends `text` in a column.
fn put(text: &str, column: Column, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    justify(out, start, column);
}

/// Bits in hexadecimal, the highest first, a comma between every 32.
fn bitmask(bytes: &[u8], out: &mut Vec<u8>) {
    for (index, byte) in bytes.iter().enumerate().rev() {
        hex(u64::from(*byte), 2, out);
        if index > 0 && index % 4 == 0 {
            out.push(b',');
        }
    }
}

/// The numbers of the bits set, neighbours as a range: `0-3,7`.
fn cpumask(bytes: &[u8], out: &mut Vec<u8>) {
    let set = |bit: usize| bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
    let mut bit = 0;
    let mut first = true;
    while bit < bytes.len() * 8 {
        if !set(bit) {
            bit += 1;
            continue;
        }
        let start = bit;
        while set(bit) {
            bit += 1;
        }
        if !core::mem::take(&mut first) {
            out.push(b',');
        }
        decimal(start as u64, 0, b' ', out);
        if bit - 1 > start {
            out.push(b'-');
            decimal(bit as u64 - 1, 0, b' ', out);
        }
    }
}
