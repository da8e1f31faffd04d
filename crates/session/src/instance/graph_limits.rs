//! What the tracer `function_graph` leaves out by depth and by duration: the kernel's `max_graph_depth` and
//! `tracing_thresh`.

use crate::{Error, Instance};

impl Instance {
    /// How many levels of calls are recorded; 0 for all.
    pub fn graph_depth(&self) -> u32 {
        self.control().instance_graph_depth(self.index)
    }

    /// Says how many. Traced processes see it at once.
    pub fn set_graph_depth(&self, depth: u32) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().set_instance_graph_depth(self.index, depth);
        Ok(())
    }

    /// Nanoseconds: only the ends of calls are recorded that took as long; 0 for all calls.
    pub fn threshold(&self) -> u64 {
        self.control().instance_threshold(self.index)
    }

    /// Says how many. Traced processes see it at once.
    pub fn set_threshold(&self, nanoseconds: u64) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().set_instance_threshold(self.index, nanoseconds);
        Ok(())
    }
}
