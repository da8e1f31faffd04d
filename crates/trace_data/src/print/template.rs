//! A print format, ready to be evaluated.

use super::conversion::{self, Amount, Conversion, Kind};
use super::evaluate::Evaluator;
use super::expression::Expression;
use super::parse::{Parsed, parse};
use super::{Dialect, PrintError};
use crate::format::Format;
use crate::symbols::Symbols;

/// Literal text and conversions, in their order.
#[derive(Debug)]
pub(crate) struct Template {
    segments: Vec<Segment>,
    dialect: Dialect,
}

#[derive(Debug)]
enum Segment {
    Literal(String),
    Value(Box<Value>),
}

/// A conversion and its arguments.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) conversion: Conversion,
    pub(super) argument: Expression,
    /// The argument of a `*` in the width.
    pub(super) width: Option<Expression>,
    /// The argument of a `*` in the precision.
    pub(super) precision: Option<Expression>,
}

impl Template {
    /// Parses the print format of `format`.
    pub(crate) fn new(format: &Format, dialect: Dialect) -> Result<Template, PrintError> {
        let Parsed { template, arguments } = parse(&format.print_fmt, &format.fields, dialect)?;
        let segments = segments(&template, arguments.into_iter());
        let segments = segments.ok_or_else(|| PrintError {
            position: format.print_fmt.len(),
            reason: "a conversion without an argument".to_owned(),
        })?;
        Ok(Template { segments, dialect })
    }

    /// Appends the text for `payload` to `out`. `format` is the one given to [`Template::new`].
    pub(crate) fn print(&self, format: &Format, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
        let evaluator = Evaluator { fields: &format.fields, payload, symbols, dialect: self.dialect };
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => out.extend_from_slice(text.as_bytes()),
                Segment::Value(value) => evaluator.print(value, out),
            }
        }
    }
}

impl Template {
    /// Whether the field at `index` is printed as the name of the function that it is an address in.
    pub(crate) fn names_function(&self, index: usize) -> bool {
        self.segments.iter().any(|segment| match segment {
            Segment::Value(value) if matches!(value.conversion.kind, Kind::Symbol { .. }) => {
                let mut argument = &value.argument;
                while let Expression::Cast(_, inner) = argument {
                    argument = inner;
                }
                matches!(argument, Expression::Field(field) if *field == index)
            }
            _ => false,
        })
    }
}

/// Cuts the format string at its conversions and gives each its arguments, in the order of C:
/// width, precision, value. `None` when there are too few.
fn segments(template: &str, mut arguments: impl Iterator<Item = Expression>) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut literal = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        literal.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            literal.push('%');
            rest = after;
            continue;
        }
        match conversion::parse(after) {
            Ok((conversion, after)) => {
                rest = after;
                if !literal.is_empty() {
                    segments.push(Segment::Literal(core::mem::take(&mut literal)));
                }
                let mut starred = |amount| match amount {
                    Amount::Argument => arguments.next().map(Some),
                    _ => Some(None),
                };
                let width = starred(conversion.width)?;
                let precision = starred(conversion.precision)?;
                let argument = arguments.next()?;
                let value = Value { conversion, argument, width, precision };
                segments.push(Segment::Value(Box::new(value)));
            }
            // No floating point in the kernel, nor in libtraceevent, which shows the letter so.
            Err((letter, after)) => {
                rest = after;
                literal.extend(['>', letter, '<']);
            }
        }
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        segments.push(Segment::Literal(literal));
    }
    Some(segments)
}
