//! What can be wrong with a filter's text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Why a text is no filter for an event, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, in bytes from the text's start, as the kernel counts: mostly one after what is wrong.
    pub position: usize,
    /// The names that the field's values have, where another was written; else empty.
    pub expected: Vec<String>,
    pub(crate) errno: i32,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ErrorKind {
    InvalidOperator,
    TooManyOpen,
    TooManyClose,
    MissingQuote,
    MissingBraceOpen,
    MissingBraceClose,
    OperandTooLong,
    ExpectString,
    ExpectDigit,
    IllegalFieldOperation,
    FieldNotFound,
    NameNotFound,
    IllegalInteger,
    /// Not the kernel's, in which times have no units.
    IllegalTime,
    TooManyPredicates,
    InvalidCpulist,
    InvalidValue,
    NoFunction,
    NoFilter,
    /// Something that the kernel has no words for: `Error`.
    Other,
}

/// What the kernel gives back for most errors.
const EINVAL: i32 = 22;

impl ErrorKind {
    /// The kernel's text.
    pub fn text(self) -> &'static str {
        match self {
            ErrorKind::InvalidOperator => "Invalid operator",
            ErrorKind::TooManyOpen => "Too many '('",
            ErrorKind::TooManyClose => "Too few '('",
            ErrorKind::MissingQuote => "Missing matching quote",
            ErrorKind::MissingBraceOpen => "Missing '{'",
            ErrorKind::MissingBraceClose => "Missing '}'",
            ErrorKind::OperandTooLong => "Operand too long",
            ErrorKind::ExpectString => "Expecting string field",
            ErrorKind::ExpectDigit => "Expecting numeric field",
            ErrorKind::IllegalFieldOperation => "Illegal operation for field type",
            ErrorKind::FieldNotFound => "Field not found",
            ErrorKind::NameNotFound => "Name not found",
            ErrorKind::IllegalInteger => "Illegal integer value",
            ErrorKind::IllegalTime => "Illegal time (an integer, and ns, us, ms or s right after it)",
            ErrorKind::TooManyPredicates => "Too many terms in predicate expression",
            ErrorKind::InvalidCpulist => "Invalid cpulist",
            ErrorKind::InvalidValue => "Invalid value (did you forget quotes)?",
            ErrorKind::NoFunction => "Function not found",
            ErrorKind::NoFilter => "No filter found",
            ErrorKind::Other => "Error",
        }
    }

    pub(crate) fn at(self, position: usize) -> Error {
        // What the kernel's parser gives back leaks through write(2).
        const EPERM: i32 = 1;
        const ENOENT: i32 = 2;
        const ESRCH: i32 = 3;
        let errno = match self {
            ErrorKind::TooManyClose | ErrorKind::TooManyPredicates => EPERM,
            ErrorKind::TooManyOpen => ENOENT,
            ErrorKind::MissingQuote => ESRCH,
            _ => EINVAL,
        };
        Error { kind: self, position, expected: Vec::new(), errno }
    }
}

impl Error {
    /// No field where one is expected.
    pub(crate) fn no_term() -> Error {
        Error { errno: 1, ..ErrorKind::Other.at(0) }
    }

    /// What write(2) to the kernel's file gives for it: most often `EINVAL`, but `EPERM`, `ENOENT` and
    /// `ESRCH` for parentheses, quotes and terms.
    pub fn errno(&self) -> i32 {
        self.errno
    }

    /// How much of the text was understood: of several events that one text was tried on, what is wrong with
    /// it for the one that understands most says most.
    pub fn progress(&self) -> (bool, usize) {
        (self.kind != ErrorKind::FieldNotFound, self.position)
    }

    /// What the kernel's file reads after `text` was written to it: the text, a caret below the place, and
    /// the reason.
    pub fn explain(&self, text: &str) -> String {
        let text = text.trim_ascii_end();
        match self.kind {
            ErrorKind::Other => format!("{text}\nError: (0)\n"),
            kind => {
                let column = self.position.min(text.len());
                format!("{text}\n{:>width$}\nparse_error: {}\n", '^', kind.text(), width = column + 1)
            }
        }
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str(self.kind.text())?;
        for (index, name) in self.expected.iter().enumerate() {
            write!(out, "{} {name}", if index == 0 { ", expected one of" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}
