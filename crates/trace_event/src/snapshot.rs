//! Snapshots that the process itself takes.

use crate::current;
use crate::entered::enter;
use crate::shared::SharedSession;
use crate::{call_time, is_aside, thread};
use abi::control::ErrorSet;
use abi::instance::RECORDING;
use ring_buffer::{Reason, SnapshotCause, SnapshotOrigin};
use trigger_effect::take_snapshot as take;

/// Keeps what the default instance has recorded, for the calling thread, and for this reason. False where
/// that has no space for snapshots, and where it was refused, which the buffer counts.
///
/// Async-signal-safe, without a system call where the thread has recorded before.
pub fn take_snapshot(cause: SnapshotCause, reason: Reason) -> bool {
    let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return false };
    enter().is_some_and(|entered| keep(shared, (entered.tid() as u32, None), cause, reason))
}

/// An error that may take a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct SeenError {
    /// What it counts as: any of these has to be chosen.
    pub kind: ErrorSet,
    /// Whose it is; None for the calling thread's.
    pub tid: Option<u32>,
    /// The user, where that is known.
    pub uid: Option<u32>,
    /// What it is.
    pub cause: SnapshotCause,
    /// What the program says about it.
    pub reason: Reason,
}

impl SeenError {
    /// Takes a snapshot, if such errors are to take one, and none has taken one just before.
    ///
    /// Async-signal-safe, as [`take_snapshot`].
    pub fn take_snapshot(self) {
        let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return };
        if !chooses_errors(self.kind) || !shared.writer().buffer().keeps_snapshots() {
            return;
        }
        let own = enter().map(|entered| entered.tid() as u32);
        let process = if is_aside() { thread::child_entry(shared) } else { shared.process() };
        if let Some(process) = process.filter(|_| self.tid.is_none()) {
            shared.control.note_error(process);
        }
        if let Some(tid) = self.tid.or(own)
            && shared.control.claim_error(call_time())
        {
            keep(shared, (tid, self.uid), self.cause, self.reason);
        }
    }
}

/// Whether any of these errors is to take snapshots.
pub fn chooses_errors(kind: ErrorSet) -> bool {
    current::shared().is_some_and(|shared| shared.control.errors().has_any(kind))
}

/// Keeps it for a thread. Its name is in the session's tables.
fn keep(
    shared: &SharedSession,
    (tid, uid): (u32, Option<u32>),
    cause: SnapshotCause,
    reason: Reason,
) -> bool {
    let Some(buffer) = shared.writer_of(RECORDING).map(|writer| writer.buffer()) else { return false };
    let origin = SnapshotOrigin { cause, tid, uid, comm: [0; 16], reason };
    buffer.keeps_snapshots() && take(&shared.control, buffer, &origin)
}
