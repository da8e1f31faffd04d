//! What the command says on standard error: everything but results.

use std::fmt::Arguments;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints a line on standard error, with colours where they are wanted. What can't be written there is
/// dropped: whatever is said, what is done comes first, and so does the status of the program that was run.
macro_rules! say {
    ($($line:tt)*) => { $crate::say::line(format_args!($($line)*)) };
}

/// [`say!`], unless errors alone are wanted.
macro_rules! note {
    ($($line:tt)*) => { if !$crate::say::is_quiet() { $crate::say::say!($($line)*) } };
}

pub(crate) use {note, say};

/// Whether errors alone are wanted.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Drops what [`note!`] says from here on.
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether errors alone are wanted.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// [`say!`] with the line as a value.
pub(crate) fn line(line: Arguments) {
    // At once: the program writes there, too.
    let _ = anstream::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
