//! Whether an instance's buffer is recorded into, apart from `tracing_on`, the switch that anyone may flip.
//!
//! The kernel's buffers count what has disabled them, and so only what has done so enables them again. Here
//! it is one bit of the buffer, and a flag of the instance that says whether `tracing_enabled` has set it.

use crate::{Error, Instance};
use abi::buffer::DropReason;
use abi::instance::NOT_ENABLED;

impl Instance {
    /// Whether the buffer is recorded into as far as `tracing_enabled` goes.
    pub fn is_recording_enabled(&self) -> bool {
        self.buffer().is_recording()
    }

    /// Disables recording, or enables it again: [`Error::NotEnabled`] where something else has disabled it,
    /// or the buffer was found damaged.
    pub fn enable_recording(&self, on: bool) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let is_others = !self.buffer().is_recording() && !self.is_disabled();
        if on && (is_others || self.is_damaged()) {
            return Err(Error::NotEnabled { path: self.path().to_path_buf() });
        }
        self.control().set_instance_flags(self.index, NOT_ENABLED, !on);
        self.buffer().set_recording(on);
        Ok(())
    }

    /// Goes on after a reader had disabled recording, unless `tracing_enabled` has, too.
    pub fn resume_recording(&self) {
        if !self.is_disabled() {
            self.buffer().set_recording(true);
        }
    }

    fn is_disabled(&self) -> bool {
        self.control().instance_flags(self.index) & NOT_ENABLED != 0
    }

    /// Whether events were dropped because the buffer was not as it should be.
    fn is_damaged(&self) -> bool {
        let damaged = |block| self.buffer().statistics(block).dropped[DropReason::Damaged as usize] > 0;
        (0..self.buffer().geometry().blocks()).any(damaged)
    }
}
