//! The errors of programs that take snapshots.

use crate::{Error, Instance};
use abi::control::ErrorSet;

impl Instance {
    /// The errors that take snapshots of the session's default instance.
    pub fn errors(&self) -> ErrorSet {
        self.control().errors()
    }

    /// Says which errors take snapshots from now on, and takes memory for one: a traced process can't. Of the
    /// default instance. Processes that run already go on as they have begun: what they handle no signal for
    /// they see when they start.
    pub fn set_errors(&self, errors: ErrorSet) -> Result<(), Error> {
        if errors != ErrorSet::NONE {
            self.reserve_snapshot()?;
        }
        self.control().set_errors(errors);
        Ok(())
    }

    /// How many errors took no snapshot, as another had taken one less than a second before.
    pub fn errors_within(&self) -> u64 {
        self.control().errors_within()
    }
}
