//! The errors of programs that take snapshots.

use crate::{Error, Instance};
use abi::control::ErrorSet;
use control::{Clocks, ProcessInfo};
use ring_buffer::{Reason, SnapshotCause, SnapshotOrigin};

impl Instance {
    /// The errors that take snapshots of the session's default instance.
    pub fn errors(&self) -> ErrorSet {
        self.control().errors()
    }

    /// Says which errors take snapshots from now on, and takes memory for one: a traced process can't. Of the
    /// default instance, whichever this is. Processes that run already go on as they have begun: what they
    /// handle no signal for they see when they start.
    pub fn set_errors(&self, errors: ErrorSet) -> Result<(), Error> {
        if errors != ErrorSet::NONE {
            self.with_recording(Instance::reserve_snapshot)?;
        }
        self.control().set_errors(errors);
        Ok(())
    }

    /// Takes a snapshot of the default instance for a process that has ended and could not do so itself: by
    /// this signal, or nobody knows how. If such errors are to take one, and none has taken one just before.
    ///
    /// # Errors
    ///
    /// Those of [`Instance::take_snapshot`].
    pub fn take_snapshot_of_end(&self, process: &ProcessInfo, signal: Option<u32>) -> Result<(), Error> {
        let control = self.control();
        // What says nothing of its end was killed, as far as one can know; but what has not attached never
        // says any.
        let kind = signal.map_or(ErrorSet::KILL, ErrorSet::of_signal);
        let is_known = signal.is_some() || !process.status.is_executing();
        let is_wanted = is_known
            && self.errors().has_any(kind)
            && !process.status.is_in_error()
            && self.keeps_snapshots();
        if !is_wanted || !control.claim_error(control.duration_clock(&Clocks::now())) {
            return Ok(());
        }
        let cause = SnapshotCause::Killed { number: signal.unwrap_or(0) as u16 };
        let (tid, comm, reason) = (process.pid, process.last_comm(), Reason::default());
        self.take(None, &SnapshotOrigin { cause, tid, uid: None, comm, reason }).map(drop)
    }

    /// How many errors took no snapshot, as another had taken one less than a second before.
    pub fn errors_within(&self) -> u64 {
        self.control().errors_within()
    }
}
