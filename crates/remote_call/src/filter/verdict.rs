//! What filters let a thread be made to do.

use super::needed::{NeededCall, RESTART};
use std::fmt;

/// What a thread's filters let it be made to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterVerdict {
    /// All: there may be none.
    All,
    /// To be attached, and nothing after that: they may forbid one of the agent's calls.
    Attach(NeededCall),
    /// Nothing, as they may forbid this call.
    Nothing(NeededCall),
    /// Nothing, as this user can't read them.
    Unreadable,
}

impl FilterVerdict {
    /// Whether the kernel may make a call again by its number for that.
    pub(crate) fn may_restart(self) -> bool {
        !matches!(self, FilterVerdict::Nothing(RESTART) | FilterVerdict::Unreadable)
    }

    /// Whether the agent may be loaded, and attach the process.
    pub(crate) fn may_attach(self) -> bool {
        matches!(self, FilterVerdict::All | FilterVerdict::Attach(_))
    }

    /// Whether the agent may make all of its calls.
    pub(crate) fn may_call(self) -> bool {
        self == FilterVerdict::All
    }
}

impl fmt::Display for FilterVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterVerdict::All => f.write_str("which allows all that is needed"),
            FilterVerdict::Attach(call) | FilterVerdict::Nothing(call) => {
                write!(f, "which may not allow {}", call.name)
            }
            FilterVerdict::Unreadable => f.write_str("which only root can read, outside of containers"),
        }
    }
}
