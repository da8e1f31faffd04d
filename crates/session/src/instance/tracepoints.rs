//! Tracepoints with formats: who has them, and stopping them all.

use crate::this_process::may_run;
use crate::{Error, Instance};

impl Instance {
    /// Stops all tracepoints with formats, in all instances and traced processes at once, or no longer does.
    /// Each keeps whether it is enabled.
    pub fn stop_tracepoints(&self, is_stopped: bool) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().stop_tracepoints(is_stopped);
        self.control().announce_switched();
        Ok(())
    }

    /// Whether a process has the tracepoint with this id: one that lives, also where nobody has noticed yet
    /// that another was killed.
    pub fn is_tracepoint_used(&self, id: u16) -> bool {
        self.control().is_used_by(id, may_run())
    }

    /// What tracepoints of programs the session has refused, and why.
    pub fn refusals(&self) -> Vec<String> {
        let mut texts = Vec::new();
        self.control().refusals(|text| texts.push(text.to_string()));
        texts
    }
}
