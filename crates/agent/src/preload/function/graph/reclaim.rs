//! Taking back slots of functions that were left without returning: by a jump, by an exception, or on a stack
//! that is not used any more.
//!
//! Nobody says so of them. But the word at the place of one that is still to return is the slot's own return
//! address (G2): where another one stands the function is left for good. It is looked for when no slot is
//! free. One that was left and whose word still stands there waits until that is written over.
//!
//! A place may be anywhere, on memory that is gone as well, so the kernel is asked for what stands there.
//!
//! Between a look and the next a function may return, and its slot be another one's, at the same place. So a
//! slot is claimed first, and looked at again: what returns meanwhile has stored 0 there before the word at
//! its place changes.

use super::pool;
use super::slot::{CLAIMED, CallSlot, SHOWN, SLOTS, SlotUse, has_code};
use crate::preload::arch::{call_slots, system_call};
use crate::preload::process::sandbox;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use rustix::process::getpid;

/// How many slots have to be taken back, or be wanted in vain, until they are looked through again: so that
/// looking costs little for each.
const PERIOD: u32 = SLOTS as u32 / 16;

/// How many are looked at by one system call.
const BATCH: usize = 16;

/// A slot in use, and its place.
#[derive(Clone, Copy)]
struct SlotInUse {
    slot: &'static CallSlot,
    place: u64,
}

type Candidates = [Option<SlotInUse>; BATCH];

/// A slot, when none is free: one that was taken back. None where there is none.
#[cold]
#[inline(never)]
pub(super) fn take() -> Option<&'static CallSlot> {
    reclaim().then(pool::take).flatten()
}

/// Takes back what was left. Whether there was anything.
fn reclaim() -> bool {
    /// How often it is still not done.
    static WAIT: AtomicU32 = AtomicU32::new(0);
    let waits = WAIT.fetch_update(Relaxed, Relaxed, |wait| wait.checked_sub(1)).is_ok();
    if waits || sandbox::may_be_there() {
        return false;
    }
    let mut in_use = pool::used().filter_map(candidate).fuse();
    let mut taken = 0;
    loop {
        let batch = [(); BATCH].map(|()| in_use.next());
        if batch.iter().flatten().next().is_none() {
            break;
        }
        taken += take_back(batch);
    }
    WAIT.store(PERIOD.saturating_sub(taken), Relaxed);
    taken > 0
}

// Acquire: pairs with the Release of `begin`.
fn candidate(slot: &'static CallSlot) -> Option<SlotInUse> {
    let place = slot.place.load(Acquire);
    let is_settled = has_code(place) && place & SHOWN == 0;
    is_settled.then_some(SlotInUse { slot, place })
}

/// Takes back those whose functions were left. How many.
fn take_back(mut candidates: Candidates) -> u32 {
    let left = look(&candidates);
    for (candidate, is_left) in candidates.iter_mut().zip(left) {
        *candidate = candidate.filter(|SlotInUse { slot, place }| is_left && replace(slot, *place, CLAIMED));
    }
    let mut taken = 0;
    for (candidate, is_left) in candidates.iter().zip(look(&candidates)) {
        let Some(SlotInUse { slot, place }) = *candidate else { continue };
        if is_left && replace(slot, CLAIMED, 0) {
            free(slot);
            taken += 1;
        } else if !is_left {
            replace(slot, CLAIMED, place);
        }
    }
    taken
}

// AcqRel: pairs with the Release of `begin` and `end`: what stands at the place is looked at between two of
// these.
fn replace(slot: &CallSlot, place: u64, new: u64) -> bool {
    slot.place.compare_exchange(place, new, AcqRel, Relaxed).is_ok()
}

/// Frees a slot, and those of the functions that were jumped to at the end of its own.
fn free(slot: &'static CallSlot) {
    let mut jumped = SlotUse(slot.jumped.load(Relaxed));
    while jumped != slot.this_use()
        && let Some(next) = jumped.slot()
    {
        jumped = next.outer();
        pool::give_back_without_code(next);
    }
    pool::share(slot);
}

/// At the places of which other words stand than the slots' own return addresses, or none, as they are not
/// memory any more. Where nobody may say, at none.
fn look(candidates: &Candidates) -> [bool; BATCH] {
    let (mut words, mut left) = ([0_u64; BATCH], [false; BATCH]);
    let nothing = 0_u64;
    let nowhere = (&raw const nothing).expose_provenance() as u64;
    let places = candidates.map(|candidate| [candidate.map_or(nowhere, |candidate| candidate.place), 8_u64]);
    let mut start = 0;
    while let (Some(into), Some(from)) = (words.get_mut(start..), places.get(start..))
        && !from.is_empty()
    {
        let read = read(into, from);
        let count = usize::try_from(read).unwrap_or(0) / 8;
        for ((is_left, candidate), word) in left.iter_mut().zip(candidates).zip(words).skip(start).take(count)
        {
            *is_left = candidate.is_some_and(|SlotInUse { slot, .. }| word != call_slots::return_to(slot));
        }
        if read < 0 && read != -i64::from(libc::EFAULT) {
            break;
        }
        // The one that could not be read.
        if let (Some(is_left), Some(Some(_))) = (left.get_mut(start + count), candidates.get(start + count)) {
            *is_left = true;
        }
        start += count + 1;
    }
    left
}

/// Reads a word from each of some places, as far as they can be read: how many bytes, or an error.
fn read(into: &mut [u64], from: &[[u64; 2]]) -> i64 {
    let pid = getpid().as_raw_nonzero().get() as u64;
    let own = [into.as_mut_ptr().expose_provenance() as u64, size_of_val(into) as u64];
    let own = (&raw const own).expose_provenance() as u64;
    let (other, count) = (from.as_ptr().expose_provenance() as u64, from.len() as u64);
    // SAFETY: the kernel stores in the words what can be read at the places.
    unsafe { system_call::call(libc::SYS_process_vm_readv, [pid, own, 1, other, count, 0]) }
}
