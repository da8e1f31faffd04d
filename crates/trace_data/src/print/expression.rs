//! What an argument of a print format computes.

use super::types::{Cast, INT, Integer, UNSIGNED_LONG};

/// An expression. Fields are indexes into the format's fields.
#[derive(Debug)]
pub(super) enum Expression {
    /// A constant, in the form that [`Integer::wrap`] gives.
    Number(u64),
    /// The number in a field.
    Field(usize),
    /// An element of the array in a field; the elements are of the given type.
    Element { field: usize, index: Box<Expression>, of: Integer },
    /// Bytes of a dynamic array.
    Length(usize),
    /// An operator before its operand.
    Unary(Unary, Integer, Box<Expression>),
    /// An operator between its operands, which are converted to the type.
    Binary(Binary, Integer, Box<[Expression; 2]>),
    /// `condition ? one : other`.
    Conditional(Box<[Expression; 3]>),
    /// A type before an operand.
    Cast(Cast, Box<Expression>),
    /// A constant string.
    Text(String),
    /// The string in a dynamic array; the one of an index, of a field that has several.
    DynamicText(usize, usize),
    /// A dynamic array.
    DynamicArray(usize),
    /// Names of the bits set.
    Flags { value: Box<Expression>, delimiter: String, names: Vec<NamedValue> },
    /// The name of the value.
    Symbolic { value: Box<Expression>, names: Vec<NamedValue> },
    /// Bytes in hexadecimal, with blanks between them or without.
    Hex { array: usize, length: Box<Expression>, blanks: bool },
    /// Elements in braces.
    Array { array: usize, count: Box<Expression>, size: Box<Expression> },
    /// The bits of a dynamic array in hexadecimal.
    Bitmask(usize),
    /// The numbers of the bits set.
    Cpumask(usize),
}

impl Expression {
    /// The expression without the casts in front of it.
    pub(super) fn uncast(&self) -> &Expression {
        match self {
            Expression::Cast(_, inner) => inner.uncast(),
            other => other,
        }
    }

    /// The field with an array, whatever type that is cast to.
    pub(super) fn array(&self) -> Option<usize> {
        match self.uncast() {
            Expression::Field(field) | Expression::DynamicArray(field) => Some(*field),
            _ => None,
        }
    }
}

/// A value and its name.
#[derive(Debug)]
pub(super) struct NamedValue {
    pub(super) value: u64,
    pub(super) text: String,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Negate,
    Complement,
    Not,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl Binary {
    /// The operator written `sign`, and how tightly it binds.
    pub(super) fn of(sign: &str) -> Option<(Binary, u8)> {
        Some(match sign {
            "*" => (Binary::Multiply, 10),
            "/" => (Binary::Divide, 10),
            "%" => (Binary::Remainder, 10),
            "+" => (Binary::Add, 9),
            "-" => (Binary::Subtract, 9),
            "<<" => (Binary::ShiftLeft, 8),
            ">>" => (Binary::ShiftRight, 8),
            "<" => (Binary::Less, 7),
            "<=" => (Binary::LessOrEqual, 7),
            ">" => (Binary::Greater, 7),
            ">=" => (Binary::GreaterOrEqual, 7),
            "==" => (Binary::Equal, 6),
            "!=" => (Binary::Unequal, 6),
            "&" => (Binary::And, 5),
            "^" => (Binary::Xor, 4),
            "|" => (Binary::Or, 3),
            "&&" => (Binary::LogicalAnd, 2),
            "||" => (Binary::LogicalOr, 1),
            _ => return None,
        })
    }

    /// The type that the operands are converted to.
    pub(super) fn operand(self, left: Integer, right: Integer) -> Integer {
        match self {
            Binary::ShiftLeft | Binary::ShiftRight => left.promoted(),
            Binary::LogicalAnd | Binary::LogicalOr => UNSIGNED_LONG,
            _ => left.common(right),
        }
    }

    /// The type of the result, given that of the operands.
    pub(super) fn result(self, operand: Integer) -> Integer {
        match self {
            Binary::Less
            | Binary::LessOrEqual
            | Binary::Greater
            | Binary::GreaterOrEqual
            | Binary::Equal
            | Binary::Unequal
            | Binary::LogicalAnd
            | Binary::LogicalOr => INT,
            _ => operand,
        }
    }

    /// Computes with operands of type `of`. What is undefined in C (division by zero, shifts by
    /// more bits than there are) has a result here, any.
    pub(super) fn compute(self, of: Integer, left: u64, right: u64) -> u64 {
        // A shift's right operand keeps its own type.
        let shift = (right % (8 * of.size as u64)) as u32;
        let (left, right) = (of.wrap(left), of.wrap(right));
        let (left_signed, right_signed) = (left as i64, right as i64);
        let value = match self {
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide if of.signed => left_signed.checked_div(right_signed).unwrap_or(0) as u64,
            Binary::Divide => left.checked_div(right).unwrap_or(0),
            Binary::Remainder if of.signed => left_signed.checked_rem(right_signed).unwrap_or(0) as u64,
            Binary::Remainder => left.checked_rem(right).unwrap_or(0),
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::ShiftLeft => left << shift,
            Binary::ShiftRight if of.signed => (left_signed >> shift) as u64,
            Binary::ShiftRight => left >> shift,
            Binary::And => left & right,
            Binary::Xor => left ^ right,
            Binary::Or => left | right,
            Binary::LogicalAnd => u64::from(left != 0 && right != 0),
            Binary::LogicalOr => u64::from(left != 0 || right != 0),
            Binary::Equal => u64::from(left == right),
            Binary::Unequal => u64::from(left != right),
            _ if of.signed => u64::from(self.ordered(&left_signed, &right_signed)),
            _ => u64::from(self.ordered(&left, &right)),
        };
        self.result(of).wrap(value)
    }

    /// The comparisons that depend on the sign.
    fn ordered<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Binary::Less => left < right,
            Binary::LessOrEqual => left <= right,
            Binary::Greater => left > right,
            _ => left >= right,
        }
    }
}

impl Unary {
    /// Computes with an operand of type `of`.
    pub(super) fn compute(self, of: Integer, value: u64) -> u64 {
        match self {
            Unary::Negate => of.wrap(value.wrapping_neg()),
            Unary::Complement => of.wrap(!value),
            Unary::Not => u64::from(value == 0),
        }
    }
}

impl Cast {
    /// The number after the cast.
    pub(super) fn compute(self, value: u64) -> u64 {
        match self {
            Cast::Nothing | Cast::Pointer(_) => value,
            Cast::Integer(integer) => integer.wrap(value),
            Cast::Truth => u64::from(value != 0),
        }
    }
}

/// An expression and the type of its value; that of strings and arrays is a pointer's.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) expression: Expression,
    pub(super) of: Integer,
}

impl Typed {
    /// `operator left right`, computed here and now where both are constants.
    pub(super) fn binary(operator: Binary, left: Typed, right: Typed) -> Typed {
        let operand = operator.operand(left.of, right.of);
        let of = operator.result(operand);
        let expression = match (left.expression, right.expression) {
            (Expression::Number(left), Expression::Number(right)) => {
                Expression::Number(operator.compute(operand, left, right))
            }
            (left, right) => Expression::Binary(operator, operand, Box::new([left, right])),
        };
        Typed { expression, of }
    }

    /// `operator value`, likewise.
    pub(super) fn unary(operator: Unary, value: Typed) -> Typed {
        let operand = value.of.promoted();
        let of = if operator == Unary::Not { INT } else { operand };
        let expression = match value.expression {
            Expression::Number(value) => Expression::Number(operator.compute(operand, value)),
            value => Expression::Unary(operator, operand, Box::new(value)),
        };
        Typed { expression, of }
    }

    /// `(type) value`, likewise.
    pub(super) fn cast(cast: Cast, value: Typed) -> Typed {
        let of = match cast {
            Cast::Nothing => value.of,
            Cast::Integer(integer) => integer,
            Cast::Truth => INT,
            Cast::Pointer(_) => UNSIGNED_LONG,
        };
        let expression = match (cast, value.expression) {
            (Cast::Nothing, value) => value,
            (_, Expression::Number(value)) => Expression::Number(cast.compute(value)),
            (_, value) => Expression::Cast(cast, Box::new(value)),
        };
        Typed { expression, of }
    }

    /// `condition ? one : other`.
    pub(super) fn conditional(condition: Typed, one: Typed, other: Typed) -> Typed {
        let of = one.of.common(other.of);
        let expression = match condition.expression {
            Expression::Number(0) => other.expression,
            Expression::Number(_) => one.expression,
            condition => Expression::Conditional(Box::new([condition, one.expression, other.expression])),
        };
        Typed { expression, of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(operator: Binary, of: Integer, left: i64, right: i64) -> i64 {
        operator.compute(of, left as u64, right as u64) as i64
    }

    #[test]
    fn operators_follow_the_type() {
        let unsigned = Integer { size: 4, signed: false };
        assert_eq!(compute(Binary::Less, INT, -1, 1), 1);
        assert_eq!(compute(Binary::Less, unsigned, -1, 1), 0);
        assert_eq!(compute(Binary::ShiftRight, INT, -8, 1), -4);
        assert_eq!(compute(Binary::ShiftRight, unsigned, -8, 1), 0x7fff_fffc);
        assert_eq!(compute(Binary::ShiftLeft, INT, 1, 31), i64::from(i32::MIN));
        assert_eq!(compute(Binary::Divide, INT, -7, 2), -3);
        assert_eq!(compute(Binary::Divide, INT, 7, 0), 0);
        assert_eq!(compute(Binary::Remainder, UNSIGNED_LONG, i64::MIN, -1), i64::MIN);
        assert_eq!(compute(Binary::Divide, Integer { size: 8, signed: true }, i64::MIN, -1), 0);
    }
}
