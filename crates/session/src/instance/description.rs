//! The parts of a session's file that say what its events mean.

use super::Instance;
use abi::control::{CONTROL_SIZE, GOVERNOR_OFFSET, PID_LISTS_OFFSET};
use abi::instance::RECORDING;
use std::ops::Range;

impl Instance {
    /// Where the session's file has all that is needed to read the events of this instance, but for the
    /// events themselves: the control area without the governor's words, which change all the time, and what
    /// lies before the pages of the default instance's buffer and of its own.
    pub fn description(&self) -> Vec<Range<u64>> {
        let head = |instance| {
            let start = self.session.layout.buffer(instance)?.start;
            Some(start..start + self.buffer.geometry().regions)
        };
        let own = Some(self.index).filter(|index| *index != RECORDING);
        let heads = [head(RECORDING), own.and_then(head)];
        let control = [0..GOVERNOR_OFFSET, PID_LISTS_OFFSET..CONTROL_SIZE as u64];
        control.into_iter().chain(heads.into_iter().flatten()).collect()
    }
}
