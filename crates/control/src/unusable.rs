//! Files that no session can use.

use abi::control::VERSION;

/// Why a file can't be used as a session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It starts with something else.
    NotASession,
    /// Made by another version of lookback; holds the version found.
    Version(u32),
    /// It is shorter than it should be, or has a clock that doesn't exist.
    Damaged,
}

impl core::fmt::Display for Unusable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Unusable::NotASession => f.write_str("not a lookback session"),
            Unusable::Version(found) => {
                write!(f, "session layout version {found}, expected {VERSION}")
            }
            Unusable::Damaged => f.write_str("damaged session file"),
        }
    }
}

impl core::error::Error for Unusable {}
