//! Calls of `mcount` and `__fentry__` that become nops.

/// The bit of [`ControlHeader::conversion`](super::ControlHeader::conversion) that says that they stay calls.
/// The others count requests.
pub const CONVERSION_OFF: u32 = 1 << 31;

/// What has become of such a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum CallConversion {
    /// It was converted to a nop.
    Converted = 0,
    /// It could not be.
    Failed = 1,
    /// There was no space to note it: it is noted when it is next made.
    Skipped = 2,
}
