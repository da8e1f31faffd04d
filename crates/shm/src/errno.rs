//! Errors of system calls.

use core::fmt::{Display, Formatter, Result};

/// What a system call has answered: a number of errno(3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Display for Errno {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "system error {}", self.0)
    }
}

impl core::error::Error for Errno {}
