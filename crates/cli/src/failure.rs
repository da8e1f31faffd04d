//! What is said, and returned, when something can't be done.

use crate::say::say;
use crate::signals::file_limit_was_met;
use std::fmt::Display;
use std::process::ExitCode;

/// Why the command can't do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

/// Exit codes of the command itself, those of env(1). Where it runs a program, that program's own code is
/// passed on.
pub(crate) mod code {
    /// lookback has failed, or was called wrongly.
    pub(crate) const FAILED: u8 = 125;
    /// The program can't be executed.
    pub(crate) const NOT_EXECUTABLE: u8 = 126;
    /// The program is not there.
    pub(crate) const NOT_FOUND: u8 = 127;
}

/// The result of a part of the command.
pub(crate) type Done<T = ExitCode> = Result<T, Failure>;

impl Failure {
    /// With a code of [`code`].
    pub(crate) fn new(code: u8, message: impl Display) -> Failure {
        Failure { message: message.to_string(), code }
    }

    /// With [`code::FAILED`].
    pub(crate) fn failed(message: impl Display) -> Failure {
        Failure::new(code::FAILED, message)
    }

    /// What it says.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says it on standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let style = anstyle::AnsiColor::Red.on_default().bold();
        say!("{style}lookback:{style:#} {}", self.message);
        if file_limit_was_met() {
            say!("lookback: the size of files is limited (ulimit -f), also in memory: raise the limit");
        }
        ExitCode::from(self.code)
    }
}

impl From<journal::Error> for Failure {
    fn from(error: journal::Error) -> Failure {
        Failure::failed(error)
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Failure {
        Failure::failed(error)
    }
}

impl From<recording::Error> for Failure {
    fn from(error: recording::Error) -> Failure {
        Failure::failed(error)
    }
}

impl From<query::Error> for Failure {
    fn from(error: query::Error) -> Failure {
        use query::Error::{NoExit, NoKey, NothingToRedact};
        match error {
            NothingToRedact(_) => {
                Failure::failed(format_args!("--redact {error}; `lookback events --format` shows fields"))
            }
            NoExit(_) => {
                Failure::failed(format_args!("--pair {error}: name the event that ends it, like --pair A..B"))
            }
            NoKey { .. } => Failure::failed(format_args!("--key {error}")),
            _ => Failure::failed(error),
        }
    }
}
