//! A reference to a slot that knows when it is an old one.

/// One use of a slot: the slot's number + 1, and which use it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotUse(pub u64);

impl SlotUse {
    /// None.
    pub const NONE: SlotUse = SlotUse(0);
}
