//! As what fields are printed.

use super::conversion::ConversionKind;
use super::evaluate::Value;
use super::expression::Expression;

/// As what a print format shows a field. What says more is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldForm {
    /// A number, or what else the field is.
    Number,
    /// Octal digits, as permissions are.
    Octal,
    /// Hexadecimal digits.
    Hex,
    /// Names of its value, or of the bits in it.
    Names,
    /// The function that it is an address in.
    Function,
}

impl Value {
    /// As what this shows the field at `index`. None if it shows something else, or others with it.
    pub(super) fn form(&self, index: usize) -> Option<FieldForm> {
        let (mut is_shown, mut has_names) = (false, false);
        let mut look = |expression: &Expression| match expression {
            Expression::Field(field) => {
                is_shown |= *field == index;
                *field == index
            }
            Expression::Number(_) | Expression::Text(_) => true,
            Expression::Flags { .. } | Expression::Symbolic { .. } => {
                has_names = true;
                true
            }
            Expression::Binary(..) | Expression::Cast(..) | Expression::Conditional(_) => true,
            _ => false,
        };
        let is_fixed = |amount: &Option<Expression>| matches!(amount, None | Some(Expression::Number(_)));
        if !is_fixed(&self.width)
            || !is_fixed(&self.precision)
            || !is_all(&self.argument, &mut look)
            || !is_shown
        {
            return None;
        }
        Some(match self.conversion.kind {
            ConversionKind::Symbol { .. } => FieldForm::Function,
            ConversionKind::Text if has_names || is_choice(&self.argument) => FieldForm::Names,
            ConversionKind::Octal => FieldForm::Octal,
            ConversionKind::Hex { .. } => FieldForm::Hex,
            _ => FieldForm::Number,
        })
    }
}

/// Whether it is one of several strings.
fn is_choice(expression: &Expression) -> bool {
    matches!(expression.uncast(), Expression::Conditional(_))
}

/// Whether all parts of an expression are as `is_wanted` says.
fn is_all(expression: &Expression, is_wanted: &mut impl FnMut(&Expression) -> bool) -> bool {
    is_wanted(expression)
        && match expression {
            Expression::Flags { value, .. }
            | Expression::Symbolic { value, .. }
            | Expression::Cast(_, value) => is_all(value, is_wanted),
            Expression::Binary(_, _, operands) => operands.iter().all(|operand| is_all(operand, is_wanted)),
            Expression::Conditional(parts) => parts.iter().all(|part| is_all(part, is_wanted)),
            _ => true,
        }
}
