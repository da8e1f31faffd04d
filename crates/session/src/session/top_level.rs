//! The control tree's top level: it shows the recording until it has an instance of its own.
//!
//! Why: `docs/decisions/004-flight.md`.

use super::Session;
use crate::{Error, Instance};
use abi::instance::TOP;

impl Session {
    /// The instance of the control tree's top level, if it has one of its own.
    pub fn open_top(&self) -> Result<Option<Instance>, Error> {
        if !self.has_top() {
            return Ok(None);
        }
        Instance::open_at(self.path(), TOP).map(Some)
    }

    /// Whether it has.
    pub fn has_top(&self) -> bool {
        self.control().instance_state(TOP).is_some()
    }

    /// The top level's own instance, which is made if it isn't there: empty, with the settings that the
    /// recording has. One that was stopped by [`Instance::set_tracing_at_top`] goes on. None in a session
    /// without space for instances.
    pub fn make_top(&self) -> Result<Option<Instance>, Error> {
        if self.control().buffers() <= TOP {
            return Ok(None);
        }
        let lock = self.lock_settings()?;
        match self.open_top()? {
            Some(top) => Ok(Some(top)),
            None => self.make(TOP, "", |top| top.take_settings(&lock)).map(Some),
        }
    }
}
