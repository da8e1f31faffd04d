//! Where a consumer says that it has come.

use std::fmt::{Display, Formatter, Result};

/// Why a consumer can't have come so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPosition {
    /// It is after all that was produced, or before what was consumed.
    Beyond,
    /// It is in the middle of a record.
    InRecord,
    /// Others consume the same events without end.
    Contended,
}

impl Display for BadPosition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            BadPosition::Beyond => "the position is not between what was consumed and what was produced",
            BadPosition::InRecord => "the position is in the middle of a record",
            BadPosition::Contended => "somebody else consumes the same events",
        })
    }
}

impl std::error::Error for BadPosition {}
