//! Questions that have names: a text file each.

use crate::failure::SqlFailure;
use std::fmt::Write;
use trace_data::text::printable;

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// What it is called.
    pub name: &'static str,
    /// Its file: what it asks, as a comment, and its query.
    text: &'static str,
}

macro_rules! questions {
    ($($name:literal)*) => {
        /// All of them.
        pub const QUESTIONS: &[Question] =
            &[$(Question { name: $name, text: include_str!(concat!("../questions/", $name, ".sql")) }),*];
    };
}

questions! {
    "slow-calls"
    "slow-files"
    "errors"
    "bytes-by-peer"
    "lock-holders"
    "off-cpu"
    "before-trigger"
    "slow-stacks"
    "wakeups"
    "processes"
}

impl Question {
    /// The one with this name.
    pub fn named(name: &str) -> Result<Question, SqlFailure> {
        QUESTIONS.iter().find(|question| question.name == name).copied().ok_or_else(|| {
            let names: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
            SqlFailure::failed(format_args!(
                "no question is called {}: expected one of {}",
                printable(name),
                names.join(", ")
            ))
        })
    }

    /// What it asks.
    pub fn title(self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("-- ")
    }

    /// Its query.
    pub fn query(self) -> &'static str {
        self.text.trim_end().trim_end_matches(';')
    }
}

/// All questions, as a list.
pub fn list() -> String {
    let width = QUESTIONS.iter().map(|question| question.name.len()).max().unwrap_or(0);
    QUESTIONS.iter().fold(String::new(), |mut text, question| {
        // Writing into a string can't fail.
        let _ = writeln!(text, "{:width$}  {}", question.name, question.title());
        text
    })
}
