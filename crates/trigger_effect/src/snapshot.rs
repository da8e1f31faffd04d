//! Taking a snapshot where no memory can be reserved for it.

use control::ControlArea;
use ring_buffer::{Buffer, Refused, Snapshot, SnapshotOrigin};

/// How often one tries to take a snapshot whose space others take.
const TRIES: u32 = 16;

/// Keeps what an instance of the session has recorded. With as many kept as there is memory for, the oldest
/// is dropped, that of a latency tracer last; where there is none, or all are being read just now, the buffer
/// counts one that was refused. Whether it was taken.
///
/// Async-signal-safe, without a system call.
pub fn take_snapshot(control: &ControlArea, buffer: &Buffer, origin: &SnapshotOrigin) -> bool {
    // Before it is there: what its events refer to must not be used again.
    control.keep_since(buffer.oldest_time());
    let taken = try_to_take(buffer, origin, |_| true);
    control.keep_until(buffer.now());
    taken.is_some()
}

/// Keeps the trace of the longest section for a latency tracer, in place of the one that it has kept before:
/// it drops no other, and where no memory is spare the buffer counts one that was refused. Of several that do
/// so at once the one stays of which `is_longest` says so. Whether it was taken.
///
/// Async-signal-safe, without a system call.
pub fn keep_longest(
    control: &ControlArea,
    buffer: &Buffer,
    origin: &SnapshotOrigin,
    is_longest: impl Fn() -> bool,
) -> bool {
    // Before it is there, as above.
    control.keep_since(buffer.oldest_time());
    let taken = try_to_take(buffer, origin, |snapshot| buffer.is_of_latency(*snapshot));
    if let Some(taken) = taken {
        let is_longest = is_longest();
        let kept = buffer.snapshots().filter(|snapshot| buffer.is_of_latency(*snapshot));
        kept.filter(|snapshot| (*snapshot == taken) != is_longest).for_each(|snapshot| {
            buffer.discard(snapshot);
        });
    }
    control.keep_until(buffer.now());
    taken.is_some()
}

/// Takes one, in place of the oldest of those that give way if need be.
fn try_to_take(
    buffer: &Buffer,
    origin: &SnapshotOrigin,
    gives_way: impl Fn(&Snapshot) -> bool,
) -> Option<Snapshot> {
    for _ in 0..TRIES {
        let has_spare = buffer.spare_rings() > 0 || free_oldest(buffer, &gives_way);
        match buffer.snapshot() {
            Ok(snapshot) => {
                buffer.set_origin(snapshot, origin);
                return Some(snapshot);
            }
            Err(Refused::NoSpare) if has_spare => {}
            Err(_) => return None,
        }
    }
    None
}

fn free_oldest(buffer: &Buffer, gives_way: impl Fn(&Snapshot) -> bool) -> bool {
    let order =
        |snapshot: &Snapshot| (buffer.is_of_latency(*snapshot), snapshot.time(), snapshot.generation());
    let oldest = buffer.snapshots().filter(gives_way).min_by_key(order);
    oldest.is_some_and(|snapshot| buffer.discard(snapshot))
}
