//! The print format of an event: from its text to readable output.
//!
//! `print fmt:` is a piece of C: a format string as for `printf` and arguments that compute on the
//! record, `REC`. It is parsed once per event (tokens, expressions with their C types, a template)
//! and then evaluated for every record, without allocation but for the output.
//!
//! Two programs evaluate the same text in two ways, and both are the measure of something here:
//!
//! | | [`Dialect::Kernel`] | [`Dialect::Report`] |
//! |---|---|---|
//! | whose output | the kernel's `trace` file, compiled C | `trace-cmd report`, libtraceevent |
//! | numbers | have the types of C | are all unsigned, of 64 bits; casts cut off |
//! | `%pS` | `name+0x8/0x40 [module]` | `name+0x8` |
//! | `%p` | 16 digits (as with the option `nohash-ptr`) | `0x` and digits, `(nil)` |
//! | `__get_cpumask` | bits, as `__get_bitmask` | a list, `0-3,7` |
//! | `__print_flags` in a column | the column is filled once | once for every flag |
//! | a null pointer for a name | ends the list of names | is the name `0` |
//!
//! The structure of an expression is that of C in both. libtraceevent 1.7.1 takes some apart
//! another way, and knows less. A print format that is to come out right everywhere
//!
//! * has parentheses around all but one of several operators of one rank: `(a - b) - c`;
//! * has none around a list of constants after `&`: one constant instead of `a & (1 | 4)`;
//! * has parentheses around the parts of `?:` that are more than a field, a constant or a string;
//! * does without `^`, character constants, `%c`, `%px`, `%+d` and `__print_array`.
//!
//! Sources: libtraceevent's `event-parse.c`; comparison with both programs in this crate's tests.

mod address;
mod conversion;
mod evaluate;
mod expression;
mod fields;
mod form;
mod function;
mod integer;
mod names;
mod operand;
mod parse;
mod strings;
mod template;
mod token;
mod types;

pub(crate) use fields::print_fields;
pub use form::FieldForm;
pub use names::{symbol_names, value_names};
pub(crate) use template::Template;

use thiserror::Error;

/// Whose rules the output follows. The table is in the [module's documentation](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The kernel's own text, as in its `trace` file.
    Kernel,
    /// What `trace-cmd report` prints.
    Report,
}

/// Why a print format can't be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("print fmt, byte {position}: {reason}")]
pub struct PrintError {
    /// Bytes from the start of the print format.
    pub position: usize,
    /// What is wrong there.
    pub reason: String,
}

/// `text` with C's escapes replaced by what they stand for: `\n`, `\t`, `\r`, octal digits; any other
/// character after a backslash stands for itself, as libtraceevent has it.
pub(crate) fn unescape(text: &str) -> String {
    let (mut plain, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'0'..=b'7', ..]) => {
                let digits = after.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
                let (octal, after) = after.split_at(digits);
                (octal.iter().fold(0, |value, digit| value << 3 | (digit - b'0')), after)
            }
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [other, after @ ..]) | (other, after) => (*other, after),
        };
        plain.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&plain).into_owned()
}
