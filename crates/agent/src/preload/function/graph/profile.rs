//! The profile: how often functions are called, and how long they take.
//!
//! A call is counted where it begins, in the table of the CPU that it begins on; what its return adds goes to
//! the same entry, so the figures of a CPU's table are of the same calls. Functions that never return have
//! been called all the same.
//!
//! What a call slot needs for that is kept apart from it, and mapped when a profile is first wanted:
//! processes that have none pay nothing.

use super::chain::outwards;
use super::slot::{CallSlot, SLOTS};
use crate::preload::arch::call_slots;
use crate::preload::function::objects;
use abi::instance::PROFILE;
use control::CountedCall;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use rustix::mm::{MapFlags, ProtFlags};
use trace_event::{AttachedSession, nanoseconds, session};

/// What is kept of a call that was counted. Each in a line of its own: those next to each other are of any
/// threads.
#[derive(Debug)]
#[repr(C, align(64))]
struct ProfiledCall {
    /// Where it was counted.
    counted: AtomicU64,
    /// Nanoseconds that counted calls within it took.
    inner: AtomicU64,
    /// The profile's generation.
    generation: AtomicU32,
    /// The process that it was made in: a copy of that returns from it, too, and has not called it.
    process: AtomicU32,
}

/// One for each slot. Null until they are mapped.
static CALLS: AtomicPtr<ProfiledCall> = AtomicPtr::new(null_mut());

/// Maps what is needed of the session and for call slots, for one who has the turn. False where that can't be
/// done.
pub(in crate::preload::function) fn can_profile(session: AttachedSession) -> bool {
    session.control().map_profile(session.profile()) && have_calls()
}

// Relaxed: who has the turn is alone. Release: pairs with the Acquire of `call_of`.
fn have_calls() -> bool {
    if CALLS.load(Relaxed).is_null() {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let bytes = SLOTS * size_of::<ProfiledCall>();
        // SAFETY: a new mapping, where the kernel likes.
        let made = unsafe { rustix::mm::mmap_anonymous(null_mut(), bytes, protection, MapFlags::PRIVATE) };
        made.iter().for_each(|calls| CALLS.store(calls.cast(), Release));
    }
    !CALLS.load(Relaxed).is_null()
}

// Acquire: pairs with the Release of `have_calls`.
fn call_of(slot: &'static CallSlot) -> Option<&'static ProfiledCall> {
    let calls = CALLS.load(Acquire);
    // SAFETY: one for each slot; they are mapped for good, zeros at first, which are values.
    (!calls.is_null()).then(|| unsafe { &*calls.add(call_slots::index_of(slot)) })
}

/// Has the returns of calls that were counted count for nothing: the session is another one then.
// Relaxed: nobody counts meanwhile.
pub(in crate::preload::function) fn forget() {
    let calls = CALLS.load(Relaxed);
    if !calls.is_null() {
        // SAFETY: one for each slot, mapped for good.
        (0..SLOTS).for_each(|index| unsafe { (*calls.add(index)).process.store(0, Relaxed) });
    }
}

/// Counts a call of the function that has this site, and has the slot's return count for it. False where
/// there is no space for it.
// Relaxed: the slot is the calling thread's.
#[inline]
pub(super) fn count_call(session: AttachedSession, slot: &'static CallSlot, site: u64) -> bool {
    let (Some(call), Some(key)) = (call_of(slot), objects::key_of(site)) else { return false };
    let control = session.control();
    let Some(counted) = control.count_call(session.cpu(), key) else { return false };
    call.counted.store(counted.to_word(), Relaxed);
    call.inner.store(0, Relaxed);
    call.generation.store(control.profile_generation(), Relaxed);
    call.process.store(session.pid(), Relaxed);
    true
}

/// Counts a call of a function of which nobody will see that it returns.
#[cold]
pub(super) fn count_endless_call(session: AttachedSession, site: u64) {
    if let Some(key) = objects::key_of(site) {
        session.control().count_call(session.cpu(), key);
    }
}

/// Counts a call that is in no function's figures.
#[cold]
pub(super) fn miss(session: AttachedSession) {
    session.control().count_not_counted(session.cpu());
}

/// Adds how long a call took that was counted and that has returned, unless the profile was switched
/// meanwhile.
// Relaxed: the slot is the calling thread's.
pub(super) fn count_return(slot: &'static CallSlot, end: u64) {
    let (Some(session), Some(call)) = (session(), call_of(slot)) else { return };
    let control = session.control();
    let generation = call.generation.load(Relaxed);
    if generation != control.profile_generation() || call.process.load(Relaxed) != session.pid() {
        return;
    }
    let duration = nanoseconds(slot.start.load(Relaxed), end);
    let inner = call.inner.load(Relaxed);
    let is_outer = |slot: &&CallSlot| slot.recorded.load().contains(PROFILE);
    let has_graph_time = control.has_graph_time();
    if !has_graph_time && let Some(outer) = outwards(slot.outer()).find(is_outer).and_then(call_of) {
        outer.inner.store(outer.inner.load(Relaxed).wrapping_add(duration), Relaxed);
    }
    let counted = CountedCall::from_word(call.counted.load(Relaxed));
    control.add_time(counted, if has_graph_time { duration } else { duration.saturating_sub(inner) });
}
