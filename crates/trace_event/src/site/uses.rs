//! Which tracepoints with a format this process has: each as often as its objects have a site of it.

use super::long_place;
use crate::current::shared;
use abi::control::{EVENTS, event_id, event_index};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicBool, AtomicU16};

/// How many sites there are of each, by the event's index.
static SITES: [AtomicU16; EVENTS] = [const { AtomicU16::new(0) }; EVENTS];

/// Whether there has been one.
static ARE_ANY: AtomicBool = AtomicBool::new(false);

/// A site of a tracepoint has come.
pub(super) fn come(id: u16) {
    let (Some(sites), Some(shared)) = (SITES.get(event_index(id)), shared()) else { return };
    ARE_ANY.store(true, Relaxed);
    if sites.fetch_add(1, AcqRel) == 0
        && let Some(entry) = shared.process()
    {
        shared.control.use_tracepoint(id, entry);
    }
}

/// A site has gone, with the object that it was in.
pub(super) fn go(id: u16) {
    let (Some(sites), Some(shared)) = (SITES.get(event_index(id)), shared()) else { return };
    let before = sites.fetch_update(AcqRel, Acquire, |count| count.checked_sub(1));
    if before == Ok(1)
        && let Some(entry) = shared.process()
    {
        shared.control.leave_tracepoint(id, entry);
    }
}

/// This process, which has been entered just now, is a copy of another, which the thread `tid` has made, and
/// has what that has.
///
/// Async-signal-safe.
pub(crate) fn copied(tid: u32) {
    long_place::copied(tid);
    if !ARE_ANY.load(Relaxed) {
        return;
    }
    let Some(shared) = shared() else { return };
    let Some(entry) = shared.process() else { return };
    for (index, sites) in SITES.iter().enumerate() {
        if sites.load(Relaxed) != 0 {
            shared.control.use_tracepoint(event_id(index), entry);
        }
    }
}
