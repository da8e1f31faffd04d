//! A hash of what sessions and agents have to agree on.

use crate::libc_call::EVERY;
use crate::{EventType, exceptions, governor, in_progress, lock, sched, signal, switch, system_call};

/// A hash of all events that agents record: a session and an agent with different events don't fit.
pub const FINGERPRINT: u64 = {
    let hash = with_bytes(0xcbf2_9ce4_8422_2325, env!("CARGO_PKG_VERSION").as_bytes());
    let hash = with_events(with_events(hash, &sched::ALL), &signal::ALL);
    let hash = with_events(with_events(with_events(hash, &in_progress::ALL), &governor::ALL), &lock::ALL);
    let hash = with_events(with_events(hash, &exceptions::ALL), &switch::ALL);
    let mut hash = with_events(hash, EVERY);
    hash = with_events(hash, &[system_call::ENTER, system_call::EXIT]);
    let mut table = 0;
    while table < system_call::TABLES.len() {
        let mut at = 0;
        while at < system_call::TABLES[table].len() {
            let call = system_call::TABLES[table][at];
            hash = with_events(hash, &[call.enter, call.exit]);
            at += 1;
        }
        table += 1;
    }
    hash
};

const fn with_events(mut hash: u64, events: &[EventType]) -> u64 {
    let mut at = 0;
    while at < events.len() {
        hash = with_bytes(hash, events[at].name.as_bytes());
        let fields = events[at].fields;
        let mut index = 0;
        while index < fields.len() {
            hash = with_bytes(hash, fields[index].name.as_bytes());
            hash = with(hash, events[at].offset(index) as u64);
            index += 1;
        }
        at += 1;
    }
    hash
}

/// FNV-1a.
const fn with(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x100_0000_01b3)
}

const fn with_bytes(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = with(hash, bytes[at] as u64);
        at += 1;
    }
    hash
}
