//! Who took a snapshot: a note next to it.
//!
//! The note is no part of the snapshot. It is stored when that is taken already, word by word, and nobody
//! waits for it: what a taker leaves that is killed, or held up until the ring holds another snapshot, is not
//! believed ([`abi::origin`]). So it needs no order of its own, and costs a few stores to one cache line.

use crate::buffer::Buffer;
use crate::snapshot::Snapshot;
use abi::origin::{BY_FILE, BY_PROCESS, BY_TRIGGER, NO_UID, ORIGIN_WORDS, origin_value, origin_word};
use core::sync::atomic::Ordering::Relaxed;

/// Who took a snapshot, as far as whoever took it has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotOrigin {
    /// How it was taken.
    pub cause: SnapshotCause,
    /// The thread that took it, as events name it.
    pub tid: u32,
    /// The thread's user, where that is known.
    pub uid: Option<u32>,
    /// The thread's name with zeros after it; zeros alone where it stands elsewhere.
    pub comm: [u8; 16],
}

/// How a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotCause {
    /// By a process of its own accord: a command.
    Process,
    /// By writing to a file of the control tree.
    File,
    /// By the trigger of an event.
    Trigger {
        /// The event's id.
        event: u16,
    },
}

impl Buffer {
    /// Notes who took a snapshot. Async-signal-safe. Cost: a few stores.
    // Relaxed: each word says by itself which snapshot it is of.
    pub fn set_origin(&self, snapshot: Snapshot, origin: &SnapshotOrigin) {
        let Some(to) = self.header().origins.get(snapshot.ring()) else { return };
        for (word, value) in to.words.iter().zip(values(origin)) {
            word.store(origin_word(snapshot.time(), value), Relaxed);
        }
    }

    /// Who took a snapshot. None where that is not known, or no longer.
    // Relaxed: as for the stores.
    pub fn origin(&self, snapshot: Snapshot) -> Option<SnapshotOrigin> {
        let from = self.header().origins.get(snapshot.ring())?;
        let mut values = [0; ORIGIN_WORDS];
        for (value, word) in values.iter_mut().zip(&from.words) {
            *value = origin_value(word.load(Relaxed), snapshot.time())?;
        }
        origin(values)
    }
}

fn values(origin: &SnapshotOrigin) -> [u32; ORIGIN_WORDS] {
    let how = match origin.cause {
        SnapshotCause::Process => BY_PROCESS << 16,
        SnapshotCause::File => BY_FILE << 16,
        SnapshotCause::Trigger { event } => BY_TRIGGER << 16 | u32::from(event),
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|part| {
        let bytes = origin.comm.get(part * 4..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    });
    [how, origin.tid, origin.uid.unwrap_or(NO_UID), a, b, c, d]
}

fn origin([how, tid, uid, name @ ..]: [u32; ORIGIN_WORDS]) -> Option<SnapshotOrigin> {
    let cause = match how >> 16 {
        BY_PROCESS => SnapshotCause::Process,
        BY_FILE => SnapshotCause::File,
        BY_TRIGGER => SnapshotCause::Trigger { event: how as u16 },
        _ => return None,
    };
    let mut comm = [0; 16];
    for (to, part) in comm.chunks_exact_mut(4).zip(name) {
        to.copy_from_slice(&part.to_le_bytes());
    }
    Some(SnapshotOrigin { cause, tid, uid: (uid != NO_UID).then_some(uid), comm })
}
