//! Stacks of events.

use crate::{Error, Instance};
use ring_buffer::{LEAST_SLICE, MOST_SLICE};

/// The least bytes of a stack that can be asked for.
pub const LEAST_STACK_BYTES: u32 = LEAST_SLICE as u32;
/// The most.
pub const MOST_STACK_BYTES: u32 = MOST_SLICE as u32;

impl Instance {
    /// Says how many bytes of the stack are kept where stacks are recorded, at most [`MOST_STACK_BYTES`].
    /// Programs see it at once. The more, the farther a stack goes, and the fewer fit the buffer.
    pub fn set_stack_bytes(&self, bytes: u32) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().set_stack_bytes(self.index, bytes);
        Ok(())
    }
}
