//! Says how far it is, to whoever watches.

use std::io::{IsTerminal, Write, stderr};

/// A line on the terminal that changes; nothing where standard error is something else.
#[derive(Debug)]
pub struct BenchProgress {
    is_shown: bool,
}

impl BenchProgress {
    /// Shown if there is a terminal.
    pub fn new() -> BenchProgress {
        BenchProgress { is_shown: stderr().is_terminal() }
    }

    /// Says what is measured now.
    pub fn say(&self, what: &str) {
        if self.is_shown {
            let _ = write!(stderr(), "\r\x1b[K{what} ...");
            let _ = stderr().flush();
        }
    }
}

impl Drop for BenchProgress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
