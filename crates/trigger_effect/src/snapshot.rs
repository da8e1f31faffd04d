//! Taking a snapshot where no memory can be reserved for it.

use control::ControlArea;
use ring_buffer::{Buffer, Refused, Snapshot, SnapshotOrigin};

/// How often one tries to take a snapshot whose space others take.
const TRIES: u32 = 16;

/// Keeps what an instance of the session has recorded. With as many kept as there is memory for, the oldest
/// is dropped; where there is none, or all are being read just now, the buffer counts one that was refused.
/// Whether it was taken.
///
/// Async-signal-safe, without a system call.
pub fn take_snapshot(control: &ControlArea, buffer: &Buffer, origin: &SnapshotOrigin) -> bool {
    // Before it is there: what its events refer to must not be used again.
    control.keep_since(buffer.oldest_time());
    let is_taken = try_to_take(buffer, origin);
    control.keep_until(buffer.now());
    is_taken
}

fn try_to_take(buffer: &Buffer, origin: &SnapshotOrigin) -> bool {
    for _ in 0..TRIES {
        let has_spare = buffer.spare_rings() > 0 || free_oldest(buffer);
        match buffer.snapshot() {
            Ok(snapshot) => {
                buffer.set_origin(snapshot, origin);
                return true;
            }
            Err(Refused::NoSpare) if has_spare => {}
            Err(_) => return false,
        }
    }
    false
}

fn free_oldest(buffer: &Buffer) -> bool {
    let age = |snapshot: &Snapshot| (snapshot.time(), snapshot.generation());
    let oldest = buffer.snapshots().min_by_key(age);
    oldest.is_some_and(|snapshot| buffer.discard(snapshot))
}
