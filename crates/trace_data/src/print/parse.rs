//! The parser: tokens to expressions, with the precedence of C.

use super::expression::{Binary, Expression, Typed, Unary};
use super::token::{Token, Tokens};
use super::types::{Cast, INT, Integer, UNSIGNED_LONG};
use super::{Dialect, PrintError, types};
use crate::format::Field;

/// Parentheses and the like inside each other. Bounds the stack of parser and evaluator.
const MAX_DEPTH: usize = 200;
/// Operators of one argument that remain to be computed for every record. For the same reason.
const MAX_OPERATORS: usize = 1000;

/// A print format taken apart: the format string and its arguments.
pub(super) struct Parsed {
    pub(super) template: String,
    pub(super) arguments: Vec<Expression>,
}

/// Parses what follows `print fmt:`.
pub(super) fn parse(text: &str, fields: &[Field], dialect: Dialect) -> Result<Parsed, PrintError> {
    let tokens = Tokens::new(text);
    let mut parser = Parser { tokens, fields, dialect, depth: 0, operators: 0 };
    let template = parser.text()?;
    let mut arguments = Vec::new();
    while parser.take_if(",")? {
        parser.operators = 0;
        arguments.push(parser.conditional()?.expression);
    }
    match parser.tokens.next()? {
        Token::End => Ok(Parsed { template, arguments }),
        _ => Err(parser.tokens.error("an argument goes on where it should end")),
    }
}

/// The parser. Operands are in [`super::operand`], functions of the format language in
/// [`super::function`].
pub(super) struct Parser<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) fields: &'a [Field],
    pub(super) dialect: Dialect,
    depth: usize,
    operators: usize,
}

impl<'a> Parser<'a> {
    /// `binary`, or `binary ? conditional : conditional`.
    pub(super) fn conditional(&mut self) -> Result<Typed, PrintError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.tokens.error("nested too deeply"));
        }
        let condition = self.binary(1)?;
        let value = if self.take_if("?")? {
            let one = self.conditional()?;
            self.expect(":")?;
            let other = self.conditional()?;
            self.count(Typed::conditional(condition, one, other))?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Operands with operators between them that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Typed, PrintError> {
        let mut left = self.unary()?;
        loop {
            let Token::Sign(sign) = self.tokens.peek()? else {
                return Ok(left);
            };
            let Some((operator, tightness)) = Binary::of(sign) else {
                return Ok(left);
            };
            if tightness < least {
                return Ok(left);
            }
            self.tokens.next()?;
            let right = self.binary(tightness + 1)?;
            left = self.count(Typed::binary(operator, left, right))?;
        }
    }

    /// An operand with whatever stands before it.
    fn unary(&mut self) -> Result<Typed, PrintError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.tokens.error("nested too deeply"));
        }
        let value = match self.tokens.peek()? {
            Token::Sign("-") => self.operator(Unary::Negate)?,
            Token::Sign("~") => self.operator(Unary::Complement)?,
            Token::Sign("!") => self.operator(Unary::Not)?,
            Token::Sign("+") => {
                self.tokens.next()?;
                self.unary()?
            }
            Token::Sign("*") => {
                self.tokens.next()?;
                let pointer = self.unary()?;
                self.element(pointer, Typed { expression: Expression::Number(0), of: INT })?
            }
            Token::Sign("(") => self.parenthesis()?,
            _ => self.operand()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn operator(&mut self, operator: Unary) -> Result<Typed, PrintError> {
        self.tokens.next()?;
        let value = self.unary()?;
        self.count(Typed::unary(operator, value))
    }

    /// A cast, `(REC)->field`, or an expression in parentheses.
    fn parenthesis(&mut self) -> Result<Typed, PrintError> {
        if let Some(cast) = self.cast()? {
            let value = self.unary()?;
            return self.count(Typed::cast(cast, value));
        }
        self.expect("(")?;
        if self.tokens.peek()? == Token::Name("REC") {
            let mut ahead = self.tokens.clone();
            ahead.next()?;
            if ahead.next()? == Token::Sign(")") {
                self.tokens = ahead;
                let field = self.record()?;
                return self.subscripts(field);
            }
        }
        let value = self.conditional()?;
        self.expect(")")?;
        self.subscripts(value)
    }

    /// Takes `(type)` where it is a cast: the parentheses hold names and stars only, and either
    /// they name a type or an operand follows.
    fn cast(&mut self) -> Result<Option<Cast>, PrintError> {
        let mut ahead = self.tokens.clone();
        ahead.next()?;
        let mut words = Vec::new();
        let mut stars = 0;
        loop {
            match ahead.next()? {
                Token::Name(word) if word != "REC" => words.push(word),
                Token::Sign("*") if !words.is_empty() => stars += 1,
                Token::Sign(")") if !words.is_empty() => break,
                _ => return Ok(None),
            }
        }
        // What the kernel's static checker reads, and nobody else.
        words.retain(|word| !matches!(*word, "__force" | "__user"));
        let operand = matches!(
            ahead.peek()?,
            Token::Name(_) | Token::Number { .. } | Token::Text(_) | Token::Sign("(")
        );
        if stars == 0 && !operand && !types::is_type(&words) {
            return Ok(None);
        }
        self.tokens = ahead;
        Ok(Some(types::cast(&words, stars, self.dialect)))
    }

    pub(super) fn expect(&mut self, sign: &'static str) -> Result<(), PrintError> {
        if self.take_if(sign)? {
            return Ok(());
        }
        Err(self.tokens.error(format!("no {sign} where one is expected")))
    }

    pub(super) fn take_if(&mut self, sign: &'static str) -> Result<bool, PrintError> {
        let found = self.tokens.peek()? == Token::Sign(sign);
        if found {
            self.tokens.next()?;
        }
        Ok(found)
    }

    /// The type of a number that C would give `of`.
    pub(super) fn number_type(&self, of: Integer) -> Integer {
        match self.dialect {
            Dialect::Kernel => of,
            Dialect::Report => UNSIGNED_LONG,
        }
    }

    /// Bounds what remains to be computed for every record.
    pub(super) fn count(&mut self, value: Typed) -> Result<Typed, PrintError> {
        if !matches!(value.expression, Expression::Number(_)) {
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(self.tokens.error("too many operators"));
            }
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Kind;

    fn number(text: &str) -> u64 {
        let text = format!("\"%d\", {text}");
        match parse(&text, &[], Dialect::Kernel).unwrap().arguments[..] {
            [Expression::Number(value)] => value,
            ref other => panic!("{text} is {other:?}"),
        }
    }

    fn reason(text: &str) -> String {
        parse(text, &[], Dialect::Kernel).err().expect(text).reason
    }

    #[test]
    fn constants_are_computed_as_c_does() {
        assert_eq!(number("1 + 2 * 3 - 4 - 5"), -2_i64 as u64);
        assert_eq!(number("(((0x0 | 0x1 | 0x40) + 1) << 1) - 1"), 131);
        assert_eq!(number("1 ? 2 : 3 ? 4 : 5"), 2);
        assert_eq!(number("0 ? 2 : 0 ? 4 : 5"), 5);
        assert_eq!(number("1 << 31"), i64::from(i32::MIN) as u64);
        assert_eq!(number("1U << 31"), 1 << 31);
        assert_eq!(number("(unsigned short)-1"), 0xffff);
        assert_eq!(number("!5 == 0 && ~0 == -1"), 1);
        assert_eq!(number("( gfp_t)((((1UL))) << (3))"), 8);
        assert_eq!(number("sizeof(unsigned long)"), 8);
        assert_eq!(number("7 & 3 == 3"), 1);
    }

    #[test]
    fn errors_say_what_is_missing() {
        assert_eq!(reason("x"), "a string is missing");
        assert_eq!(reason("\"\", 1 +"), "an operand is missing");
        assert_eq!(reason("\"\", REC->x"), "no field x");
        assert_eq!(reason("\"\", (1"), "no ) where one is expected");
        assert_eq!(reason("\"\", 1 2"), "an argument goes on where it should end");
        assert_eq!(reason("\"\", frob(1)"), "function frob is not known");
        assert_eq!(reason("\"\", 1[0]"), "an element of what is no array");
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let deep = format!("\"\", {}1", "(".repeat(100_000));
        assert_eq!(reason(&deep), "nested too deeply");
        let deep = format!("\"\", {}1", "-".repeat(100_000));
        assert_eq!(reason(&deep), "nested too deeply");
        let field = Field {
            name: "x".to_owned(),
            type_name: "int".to_owned(),
            offset: 8,
            size: 4,
            signed: true,
            kind: Kind::Integer,
        };
        let long = format!("\"\", REC->x{}", " + REC->x".repeat(100_000));
        let error = parse(&long, &[field], Dialect::Kernel).err().unwrap();
        assert_eq!(error.reason, "too many operators");
    }
}
