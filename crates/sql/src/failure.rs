//! What is said, and returned, when something can't be done.

use crate::say::say;
use datafusion::error::DataFusionError;
use std::error::Error;
use std::fmt::{self, Display};
use std::process::ExitCode;

/// Why what was asked for can't be had.
#[derive(Debug, Clone)]
pub struct SqlFailure {
    message: String,
}

/// As the command `lookback` returns it.
pub const FAILED: u8 = 125;

impl SqlFailure {
    /// With this message.
    pub fn failed(message: impl Display) -> SqlFailure {
        SqlFailure { message: message.to_string() }
    }

    /// What was said already.
    pub fn silent() -> SqlFailure {
        SqlFailure { message: String::new() }
    }

    /// Of the engine.
    pub fn from_engine(error: DataFusionError) -> SqlFailure {
        SqlFailure::failed(crate::complaint::message(&error))
    }

    /// An error's text, with those of what has caused it.
    pub fn with_causes(error: &dyn Error) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        text
    }

    /// Says it on standard error.
    pub fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            say!("lookback: {}", self.message);
        }
        ExitCode::from(FAILED)
    }
}

impl Display for SqlFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for SqlFailure {}

impl From<SqlFailure> for DataFusionError {
    fn from(failure: SqlFailure) -> DataFusionError {
        DataFusionError::External(Box::new(failure))
    }
}

impl From<std::io::Error> for SqlFailure {
    fn from(error: std::io::Error) -> SqlFailure {
        SqlFailure::failed(error)
    }
}
