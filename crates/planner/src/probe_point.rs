//! An instruction that a jump can take the place of.

use crate::jump_space::JumpSpace;
use crate::jump_window::JumpWindow;

/// An instruction that can be replaced by a jump, and is executed just when the one is that a probe is at,
/// with all as it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePoint {
    /// Where it is, from the function's start.
    pub offset: usize,
    /// Its bytes.
    pub len: usize,
    /// Where the jump is that leads to its code.
    pub space: JumpSpace,
    /// The jumps that can be there.
    pub window: JumpWindow,
}
