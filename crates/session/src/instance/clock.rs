//! The clock of an instance.

use super::Instance;
use crate::Error;
use crate::clock::can_show;
use abi::clock::TraceClock;

impl Instance {
    /// The clock in which its times are shown.
    pub fn trace_clock(&self) -> TraceClock {
        self.control().trace_clock(self.index)
    }

    /// The clocks in which they can be shown, with what stands in the buffers.
    pub fn trace_clocks(&self) -> impl Iterator<Item = TraceClock> {
        let written = self.buffer().geometry().clock;
        TraceClock::ALL.into_iter().filter(move |clock| can_show(written, *clock))
    }

    /// Shows the times of this instance in another clock, of [`Instance::trace_clocks`], and empties its
    /// buffers, as the kernel does. Events in snapshots are shown in it, too.
    pub fn set_trace_clock(&self, clock: TraceClock) -> Result<(), Error> {
        if self.trace_clocks().all(|known| known != clock) {
            let (path, name) = (self.path().to_path_buf(), clock.name());
            return Err(Error::OtherClock { path, name });
        }
        let _lock = self.session.lock_settings()?;
        self.control().set_trace_clock(self.index, clock);
        self.buffer().clear();
        Ok(())
    }
}
