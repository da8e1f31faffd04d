//! One term of a filter: a field, an operator and a value.

use crate::error::{Error, ErrorKind};
use crate::field::{FilterField, FilterType, find};
use crate::text::packed;
use crate::word::{Comparison, Head, MAX_PATTERN, StringPlace, Test};
use crate::{cpus, number};
use alloc::vec::Vec;

/// The longest number, with its end.
const MAX_NUMBER: usize = 24;

/// Operators in the order in which they are looked for; None is `~`.
const OPERATORS: [(&str, Option<Comparison>); 8] = [
    ("~", None),
    ("!=", Some(Comparison::NotEqual)),
    ("==", Some(Comparison::Equal)),
    ("<=", Some(Comparison::LessOrEqual)),
    ("<", Some(Comparison::Less)),
    (">=", Some(Comparison::GreaterOrEqual)),
    (">", Some(Comparison::Greater)),
    ("&", Some(Comparison::And)),
];

/// What a term tests, without where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Predicate {
    pub(crate) head: Head,
    pub(crate) value: u64,
    pub(crate) operands: Vec<u64>,
}

impl Predicate {
    fn new(test: Test, offset: u16, variant: u8, value: u64) -> Predicate {
        Predicate { head: Head::new(test, offset, variant), value, operands: Vec::new() }
    }
}

/// Reads the term at `start` of a text. Gives it and where it ends.
pub(crate) fn parse(
    text: &str,
    start: usize,
    fields: &[FilterField<'_>],
) -> Result<(Predicate, usize), Error> {
    let mut reader = TermReader { text, at: start };
    let name = reader.take_while(is_of_name);
    if name.is_empty() {
        return Err(Error::no_term());
    }
    let (field, kind) = find(fields, name).ok_or_else(|| reader.error(ErrorKind::FieldNotFound))?;
    reader.take(".ustring");
    let is_function = reader.take(".function");
    reader.skip_blanks();
    let operator = OPERATORS.iter().find(|(text, _)| reader.take(text));
    let (_, operator) = operator.ok_or_else(|| reader.error(ErrorKind::InvalidOperator))?;
    reader.skip_blanks();
    let term = Term { field, kind, operator: *operator };
    let predicate = match reader.peek() {
        _ if is_function => Err(term.function(&mut reader)),
        Some(b'C') if reader.take("CPUS") => term.cpus(&mut reader),
        Some(quote @ (b'\'' | b'"')) if !term.has_names() => term.string(&mut reader, quote),
        Some(b'0'..=b'9' | b'-') => term.number(&mut reader),
        Some(_) if term.has_names() => term.names(&mut reader),
        _ => Err(reader.error(ErrorKind::InvalidValue)),
    };
    Ok((predicate?, reader.at))
}

/// The left side of a term.
struct Term<'a> {
    field: FilterField<'a>,
    kind: FilterType,
    operator: Option<Comparison>,
}

impl Term<'_> {
    fn string(&self, reader: &mut TermReader<'_>, quote: u8) -> Result<Predicate, Error> {
        let negated = match self.operator {
            None | Some(Comparison::Equal) => false,
            Some(Comparison::NotEqual) => true,
            _ => return Err(reader.error(ErrorKind::IllegalFieldOperation)),
        };
        let FilterType::Text(place) = self.kind else { return Err(reader.error(ErrorKind::ExpectDigit)) };
        reader.at += 1;
        let string = reader.take_while(|byte| byte != quote);
        if string.len() > MAX_PATTERN {
            return Err(reader.error(ErrorKind::OperandTooLong));
        }
        reader.at += 1;
        let is_pattern = self.operator.is_none();
        let inverted = string.strip_prefix('!').filter(|_| is_pattern);
        let pattern = inverted.unwrap_or(string).as_bytes();
        let variant = Head::text(place, is_pattern, negated || inverted.is_some());
        let field = if place == StringPlace::Array { u64::from(self.field.size) } else { 0 };
        let value = field | (pattern.len() as u64) << 32;
        let mut predicate = Predicate::new(Test::Text, self.field.offset, variant, value);
        predicate.operands = pattern.chunks(8).map(packed).collect();
        Ok(predicate)
    }

    fn number(&self, reader: &mut TermReader<'_>) -> Result<Predicate, Error> {
        if matches!(self.kind, FilterType::Text(_)) {
            return Err(reader.error(ErrorKind::ExpectString));
        }
        let Some(comparison) = self.operator else {
            return Err(reader.error(ErrorKind::IllegalFieldOperation));
        };
        let start = reader.at;
        reader.take("-");
        let is_time = self.field.is_time();
        reader.take_while(|byte| byte.is_ascii_alphanumeric() || is_time && byte == b'.');
        let digits = &reader.text[start..reader.at];
        if digits.len() >= MAX_NUMBER {
            return Err(reader.error(ErrorKind::OperandTooLong));
        }
        let (value, otherwise) = match self.field.signed {
            _ if is_time && number::is_followed_by_unit(reader.rest()) => (None, ErrorKind::IllegalTime),
            _ if is_time => (number::nanoseconds(digits).map(|value| value as u64), ErrorKind::IllegalTime),
            true => (number::signed(digits).map(|value| value as u64), ErrorKind::IllegalInteger),
            false => (number::unsigned(digits), ErrorKind::IllegalInteger),
        };
        let value = value.ok_or_else(|| otherwise.at(start + 1))?;
        Ok(self.comparison(comparison, value, self.field.signed))
    }

    fn has_names(&self) -> bool {
        self.kind == FilterType::Number && !self.field.names.is_empty()
    }

    /// Names of the field's values, each in quotes or without, with `|` between them.
    fn names(&self, reader: &mut TermReader<'_>) -> Result<Predicate, Error> {
        let Some(comparison) = self.operator else {
            return Err(reader.error(ErrorKind::IllegalFieldOperation));
        };
        let mut value = self.named(reader)?;
        while !reader.rest().starts_with("||") && reader.take("|") {
            value |= self.named(reader)?;
        }
        Ok(self.comparison(comparison, value, self.field.signed))
    }

    /// The value of the name that the text goes on with.
    fn named(&self, reader: &mut TermReader<'_>) -> Result<u64, Error> {
        let start = reader.at;
        let name = match reader.peek() {
            Some(quote @ (b'\'' | b'"')) => {
                reader.at += 1;
                let name = reader.take_while(|byte| byte != quote);
                reader.at += 1;
                name
            }
            _ => reader.take_while(is_of_name),
        };
        let found = self.field.names.iter().find(|(_, known)| known == name);
        let names = || self.field.names.iter().map(|(_, name)| name.clone()).collect();
        found
            .map(|(value, _)| *value)
            .ok_or_else(|| Error { expected: names(), ..ErrorKind::NameNotFound.at(start) })
    }

    /// The field against a number, which is cut off to the field's size.
    fn comparison(&self, comparison: Comparison, value: u64, signed: bool) -> Predicate {
        let unused = 64 - 8 * u32::from(self.field.size.clamp(1, 8));
        let value = match signed {
            true => ((value << unused) as i64 >> unused) as u64,
            false => value << unused >> unused,
        };
        match (self.kind, size_log2(self.field.size)) {
            (FilterType::Cpu, _) => {
                Predicate::new(Test::Cpu, 0, Head::number(comparison, 2, true), value as i32 as u64)
            }
            (FilterType::Stack, _) | (_, None) => Predicate::new(Test::Never, 0, 0, 0),
            (_, Some(size)) => {
                let variant = Head::number(comparison, size, signed);
                Predicate::new(Test::Number, self.field.offset, variant, value)
            }
        }
    }

    /// `CPUS{0,2-3}`; the word itself is read already.
    fn cpus(&self, reader: &mut TermReader<'_>) -> Result<Predicate, Error> {
        let word = ErrorKind::IllegalFieldOperation.at(reader.at - "CPUS".len() + 1);
        if matches!(self.kind, FilterType::Text(_) | FilterType::Stack) {
            return Err(word);
        }
        let Some(comparison @ (Comparison::Equal | Comparison::NotEqual | Comparison::And)) = self.operator
        else {
            return Err(word);
        };
        if !reader.take("{") {
            reader.at += 1;
            return Err(reader.error(ErrorKind::MissingBraceOpen));
        }
        let list = reader.take_while(|byte| byte != b'}');
        if reader.peek().is_none() {
            return Err(reader.error(ErrorKind::MissingBraceClose));
        }
        let set = cpus::parse(list).filter(|_| !list.is_empty());
        let set = set.ok_or_else(|| reader.error(ErrorKind::InvalidCpulist))?;
        reader.at += 1;
        let (test, size) = match self.kind {
            FilterType::CpuMask => (Test::MaskAndSet, 0),
            FilterType::Cpu => (Test::CpuInSet, 0),
            _ => match size_log2(self.field.size) {
                Some(size) => (Test::NumberInSet, size),
                None => (Test::Never, 0),
            },
        };
        let mut predicate = Predicate::new(test, self.field.offset, Head::number(comparison, size, false), 0);
        predicate.operands =
            set.into_iter().map(|(first, last)| u64::from(first) | u64::from(last) << 32).collect();
        Ok(predicate)
    }

    /// `ip.function == vfs_read`: no functions are known here, whatever the word says.
    fn function(&self, reader: &mut TermReader<'_>) -> Error {
        if self.field.size != 8 {
            return reader.error(ErrorKind::IllegalFieldOperation);
        }
        if !matches!(self.operator, Some(Comparison::Equal | Comparison::NotEqual)) {
            return reader.error(ErrorKind::InvalidOperator);
        }
        if reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let digits = reader.take_while(|byte| byte.is_ascii_alphanumeric());
            if number::unsigned(digits).is_none() {
                return reader.error(ErrorKind::InvalidValue);
            }
        } else {
            reader.take_while(|byte| !byte.is_ascii_whitespace());
        }
        reader.error(ErrorKind::NoFunction)
    }
}

/// Whether a byte is part of a name. The kernel's isalnum() knows letters beyond ASCII: a name of such is no
/// field's, but it is one.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The size of a number; None for what is no number.
fn size_log2(size: u16) -> Option<u8> {
    match size {
        1 | 2 | 4 | 8 => Some(size.trailing_zeros() as u8),
        _ => None,
    }
}

/// How far a term has been read.
struct TermReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TermReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    /// Goes after `expected`, if it is there.
    fn take(&mut self, expected: &str) -> bool {
        let is_there = self.rest().starts_with(expected);
        self.at += if is_there { expected.len() } else { 0 };
        is_there
    }

    fn take_while(&mut self, mut is_meant: impl FnMut(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.bytes().position(|byte| !is_meant(byte)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace());
    }

    /// An error here: the kernel counts from one.
    fn error(&self, kind: ErrorKind) -> Error {
        kind.at(self.at + 1)
    }
}
