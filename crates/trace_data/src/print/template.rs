//! A print format, ready to be evaluated.

use super::conversion::{self, Amount};
use super::evaluate::{Evaluator, Value};
use super::expression::Expression;
use super::parse::{Parsed, parse};
use super::{Dialect, FieldForm, PrintError};
use crate::format::Format;
use crate::symbols::Symbols;

/// Literal text and conversions, in their order.
#[derive(Debug)]
pub(crate) struct Template {
    parts: Vec<TemplatePart>,
    dialect: Dialect,
}

#[derive(Debug)]
enum TemplatePart {
    Literal(String),
    Value(Box<Value>),
}

impl Template {
    /// Parses the print format of `format`.
    pub(crate) fn new(format: &Format, dialect: Dialect) -> Result<Template, PrintError> {
        let Parsed { template, arguments } = parse(&format.print_fmt, &format.fields, dialect)?;
        let parts = parts(&template, arguments.into_iter()).ok_or_else(|| PrintError {
            position: format.print_fmt.len(),
            reason: "a conversion without an argument".to_owned(),
        })?;
        Ok(Template { parts, dialect })
    }

    /// Appends the text for `payload` to `out`. `format` is the one given to [`Template::new`].
    pub(crate) fn print(&self, format: &Format, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
        let evaluator = Evaluator { fields: &format.fields, payload, symbols, dialect: self.dialect };
        for part in &self.parts {
            match part {
                TemplatePart::Literal(text) => out.extend_from_slice(text.as_bytes()),
                TemplatePart::Value(value) => evaluator.print(value, out),
            }
        }
    }

    /// As what the field at `index` is printed. Of a field that is printed several times, as that which says
    /// most.
    pub(crate) fn form(&self, index: usize) -> FieldForm {
        let forms = self.parts.iter().filter_map(|part| match part {
            TemplatePart::Value(value) => value.form(index),
            TemplatePart::Literal(_) => None,
        });
        forms.max().unwrap_or(FieldForm::Number)
    }

    /// Appends what is printed of the field at `index` and of no other one.
    pub(crate) fn print_field(
        &self,
        index: usize,
        format: &Format,
        payload: &[u8],
        symbols: &dyn Symbols,
        out: &mut Vec<u8>,
    ) {
        let evaluator = Evaluator { fields: &format.fields, payload, symbols, dialect: self.dialect };
        for part in &self.parts {
            if let TemplatePart::Value(value) = part
                && value.form(index).is_some()
            {
                evaluator.print(value, out);
            }
        }
    }
}

/// Cuts the format string at its conversions and gives each its arguments, in the order of C:
/// width, precision, value. `None` when there are too few.
fn parts(template: &str, mut arguments: impl Iterator<Item = Expression>) -> Option<Vec<TemplatePart>> {
    let mut parts = Vec::new();
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
                    parts.push(TemplatePart::Literal(core::mem::take(&mut literal)));
                }
                let mut amount = |amount| match amount {
                    Amount::None => Some(None),
                    Amount::Fixed(number) => Some(Some(Expression::Number(number as u64))),
                    Amount::Argument => arguments.next().map(Some),
                };
                let width = amount(conversion.width)?;
                let precision = amount(conversion.precision)?;
                let argument = arguments.next()?;
                let value = Value { conversion, argument, width, precision };
                parts.push(TemplatePart::Value(Box::new(value)));
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
        parts.push(TemplatePart::Literal(literal));
    }
    Some(parts)
}
