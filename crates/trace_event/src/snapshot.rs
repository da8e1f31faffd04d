//! Snapshots that the process itself takes.

use crate::current;
use crate::entered::enter;
use abi::instance::RECORDING;
use ring_buffer::{Reason, SnapshotCause, SnapshotOrigin};
use trigger_effect::take_snapshot as take;

/// Keeps what the default instance has recorded, for the calling thread, and for this reason. False where
/// that has no space for snapshots, and where it was refused, which the buffer counts.
///
/// Async-signal-safe, without a system call where the thread has recorded before.
pub fn take_snapshot(cause: SnapshotCause, reason: Reason) -> bool {
    let Some(tid) = enter().map(|entered| entered.tid() as u32) else { return false };
    take_snapshot_of(tid, cause, reason)
}

/// Keeps it for a thread or process that can't do so itself.
pub fn take_snapshot_of(tid: u32, cause: SnapshotCause, reason: Reason) -> bool {
    let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return false };
    let Some(buffer) = shared.writer_of(RECORDING).map(|writer| writer.buffer()) else { return false };
    let has_space = buffer.geometry().rings > 1;
    // The thread's name is in the session's tables.
    has_space
        && take(&shared.control, buffer, &SnapshotOrigin { cause, tid, uid: None, comm: [0; 16], reason })
}
