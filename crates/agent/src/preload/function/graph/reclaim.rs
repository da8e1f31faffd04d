//! Taking back slots of functions that were left without returning, see `call_slots`: when, and how what
//! stands at their places is seen.
//!
//! It is looked for when no slot is free. A place may be anywhere, on memory that is gone as well, so the
//! kernel is asked for what stands there.

use super::pool::{self, OwnWords};
use super::slot::{CallSlot, SLOTS};
use crate::preload::memory::words::{self, WORD};
use crate::preload::process::sandbox;
use ::call_slots::{AtPlace, BATCH};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// How many slots have to be taken back, or be wanted in vain, until they are looked through again: so that
/// looking costs little for each.
const PERIOD: u32 = SLOTS as u32 / 16;

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
    let taken = pool::ALL.take_back_left(OwnWords::here(), look);
    WAIT.store(PERIOD.saturating_sub(taken), Relaxed);
    taken > 0
}

/// What stands at these places. Where nobody may say, nothing is known of any of the rest.
fn look(places: &[Option<u64>; BATCH]) -> [AtPlace; BATCH] {
    let (mut words, mut found) = ([0_u64; BATCH], [AtPlace::Unknown; BATCH]);
    let nothing = 0_u64;
    let nowhere = (&raw const nothing).expose_provenance() as u64;
    let places = places.map(|place| [place.unwrap_or(nowhere), WORD]);
    let mut start = 0;
    while let (Some(into), Some(from)) = (words.get_mut(start..), places.get(start..))
        && !from.is_empty()
    {
        let read = words::copy(into, from);
        let count = usize::try_from(read).unwrap_or(0) / WORD as usize;
        for (found, word) in found.iter_mut().zip(words).skip(start).take(count) {
            *found = AtPlace::Word(word);
        }
        if read < 0 && read != -i64::from(libc::EFAULT) {
            break;
        }
        // The one that could not be read.
        if let Some(found) = found.get_mut(start + count) {
            *found = AtPlace::Nothing;
        }
        start += count + 1;
    }
    found
}
