//! What is said on standard error: never a panic where that is closed.

use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Says errors only, from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes are said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says something.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($text)*);
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
