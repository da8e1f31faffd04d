//! What the command says on standard error: everything but results.

use std::fmt::Arguments;
use std::io::Write;

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
