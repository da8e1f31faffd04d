//! What is said on standard error: never a panic where that is closed.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_data::text::printable;

static QUIET: AtomicBool = AtomicBool::new(false);

/// Says errors only, from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes are said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A path, on one line and without anything that a terminal acts on.
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// Lines without anything that a terminal acts on.
pub fn printable_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// Says something.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "{}", $crate::say::printable_lines(&format!($($text)*)));
    }};
}

/// Says something that is good to know, unless it is to be quiet.
macro_rules! note {
    ($($text:tt)*) => {
        if !$crate::say::is_quiet() {
            $crate::say::say!($($text)*);
        }
    };
}

pub(crate) use {note, say};
