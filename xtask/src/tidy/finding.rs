//! What a rule finds.

use core::fmt::{Display, Formatter, Result};

/// A place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    text: String,
}

impl Finding {
    /// In line `line` of a file, counted from 1.
    pub fn new(path: &str, line: usize, text: impl Into<String>) -> Finding {
        Finding { path: path.to_string(), line, text: text.into() }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}
