//! Columns of the tables that a profile consists of, as JSON.

use export::json::push_quoted;
use std::fmt::{Display, Write};

/// The values of a column, so far.
#[derive(Debug, Default)]
pub(super) struct JsonColumn {
    text: String,
}

impl JsonColumn {
    /// Adds what JSON has the same form for: a number, an object.
    pub(super) fn push(&mut self, value: impl Display) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        // Writing into a string can't fail.
        let _ = write!(self.text, "{value}");
    }

    /// Adds such a value, or that there is none.
    pub(super) fn push_option(&mut self, value: Option<impl Display>) {
        match value {
            Some(value) => self.push(value),
            None => self.push("null"),
        }
    }

    /// Adds a string.
    pub(super) fn push_text(&mut self, text: &str) {
        self.push(quoted(text));
    }

    /// All of them, without the brackets.
    pub(super) fn values(&self) -> &str {
        &self.text
    }
}

/// A string as JSON has it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(text, &mut out);
    out
}

/// So many of the same value, as a column.
pub(super) fn repeated(value: &str, count: usize) -> String {
    let mut column = format!("{value},").repeat(count);
    column.pop();
    column
}

/// A time as a profile has it, in milliseconds: since another one, which may be later.
pub(super) fn milliseconds(time: u64, since: u64) -> String {
    let (sign, passed) = match time.checked_sub(since) {
        Some(passed) => ("", passed),
        None => ("-", since - time),
    };
    format!("{sign}{}.{:06}", passed / 1_000_000, passed % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_json() {
        let mut column = JsonColumn::default();
        column.push(1);
        column.push_text("a\"\n");
        column.push("null");
        assert_eq!(column.values(), r#"1,"a\"\n",null"#);
        assert_eq!((repeated("0", 3).as_str(), repeated("0", 0).as_str()), ("0,0,0", ""));
    }

    #[test]
    fn times_are_exact() {
        let times = [(5_000_001, 0), (7, 7), (1, 1_000_003)].map(|(time, since)| milliseconds(time, since));
        assert_eq!(times, ["5.000001", "0.000000", "-1.000002"]);
    }
}
