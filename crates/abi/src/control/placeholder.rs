//! Numbers that stand for threads whose TID is not known to them.

use super::{State, TIDS};

/// The first number that stands for a thread or process whose TID is not known to it: the child of vfork(2)
/// where a filter may forbid to ask for it. No TID is as large. Its maker learns the TID, and enters a
/// [`TaskEntry`](super::TaskEntry) with this number whose `tgid` is that.
pub const FIRST_PLACEHOLDER: u32 = TIDS as u32;

/// Such numbers.
pub const PLACEHOLDERS: u32 = State::OWNERS - FIRST_PLACEHOLDER;
