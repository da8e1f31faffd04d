//! What the command says: results on standard output, everything else on standard error.

use crate::failure::{Done, Failure};
use std::fmt::{Arguments, Display};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Prints a line on standard error, with colours where they are wanted. What can't be written there is
/// dropped: whatever is said, what is done comes first, and so does the status of the program that was run.
macro_rules! say {
    ($($line:tt)*) => { $crate::say::line(format_args!($($line)*)) };
}

pub(crate) use say;

/// [`say!`] with the line as a value.
pub(crate) fn line(line: Arguments) {
    // At once: the program writes there, too.
    let _ = anstream::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Prints a line, or several, on standard output. Who has closed it has seen enough.
pub(crate) fn print(text: impl Display) -> Done {
    written(writeln!(anstream::stdout().lock(), "{text}"))
}

/// What has come of writing on standard output.
pub(crate) fn written(result: std::io::Result<()>) -> Done {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::failed(format_args!("standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
