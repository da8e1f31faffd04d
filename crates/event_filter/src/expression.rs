//! The structure of a filter: terms joined by `&&` and `||`, of which the first binds closer.
//!
//! `!` is gone when a text has been read: by De Morgan's rules it makes `||` of `&&`, and reaches the terms.

use crate::error::{Error, ErrorKind};
use crate::field::FilterField;
use crate::predicate::{self, Predicate};
use alloc::vec::Vec;
use core::mem::take;

/// A part of a filter.
#[derive(Debug)]
pub(crate) enum Condition {
    /// A term, and whether its result is turned round.
    Term(Predicate, bool),
    /// True where all are.
    All(Vec<Condition>),
    /// True where one is.
    Any(Vec<Condition>),
}

/// What has been read between two parentheses.
#[derive(Debug, Default)]
struct Parentheses {
    /// Whether all of it is turned round.
    inverted: bool,
    /// What stands between `||`.
    alternatives: Vec<Condition>,
    /// What stands between `&&`, after the last `||`.
    conditions: Vec<Condition>,
}

impl Parentheses {
    fn finish_conditions(&mut self) {
        let conditions = take(&mut self.conditions);
        self.alternatives.extend(joined(conditions, !self.inverted));
    }

    fn finish(mut self) -> Option<Condition> {
        self.finish_conditions();
        joined(self.alternatives, self.inverted)
    }
}

/// One of several parts, or all of them.
fn joined(mut parts: Vec<Condition>, all: bool) -> Option<Condition> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ if all => Some(Condition::All(parts)),
        _ => Some(Condition::Any(parts)),
    }
}

/// Reads a text whose parentheses and quotes have their partners.
pub(crate) fn parse(text: &str, fields: &[FilterField<'_>]) -> Result<Condition, Error> {
    let bytes = text.as_bytes();
    let mut outer: Vec<Parentheses> = Vec::new();
    let mut group = Parentheses::default();
    let mut inverted = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            _ if byte.is_ascii_whitespace() => at += 1,
            b'(' => {
                outer.push(take(&mut group));
                group.inverted = inverted;
                at += 1;
            }
            b'!' if !matches!(bytes.get(at + 1), Some(b'=' | b'~')) => {
                inverted = !inverted;
                at += 1;
            }
            _ => {
                let (predicate, end) = predicate::parse(text, at, fields)?;
                group.conditions.push(Condition::Term(predicate, inverted));
                at = operator(bytes, end, &mut group, &mut outer)?;
                inverted = group.inverted;
            }
        }
    }
    for mut parent in outer.into_iter().rev() {
        parent.conditions.extend(group.finish());
        group = parent;
    }
    group.finish().ok_or_else(|| ErrorKind::NoFilter.at(bytes.len()))
}

/// Reads closing parentheses and the operator after a term. Gives where the next term can start.
fn operator(
    bytes: &[u8],
    from: usize,
    group: &mut Parentheses,
    outer: &mut Vec<Parentheses>,
) -> Result<usize, Error> {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            _ if byte.is_ascii_whitespace() => at += 1,
            b')' => {
                let parent = outer.pop().ok_or_else(|| ErrorKind::TooManyClose.at(at))?;
                let inner = core::mem::replace(group, parent).finish();
                group.conditions.extend(inner);
                at += 1;
            }
            b'&' if bytes.get(at + 1) == Some(&b'&') => return Ok(at + 2),
            b'|' if bytes.get(at + 1) == Some(&b'|') => {
                group.finish_conditions();
                return Ok(at + 2);
            }
            _ => return Err(ErrorKind::TooManyPredicates.at(at)),
        }
    }
    Ok(at)
}
