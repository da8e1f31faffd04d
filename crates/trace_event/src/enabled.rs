//! Which events are enabled.

use crate::current;
use abi::control::{BY_SWITCHES, CALLING, EVENTS, OFF, WATCHED, event_index};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

/// What stands for the session's words as long as there is none: nothing is on. After what every process
/// touches, see `process`. For one who tests words in assembly; see [`is_enabled`].
#[unsafe(link_section = ".bss.lookback_large_off")]
pub static NOTHING_ENABLED: [AtomicU64; EVENTS] = [const { AtomicU64::new(0) }; EVENTS];

/// What has to be added to the address of a word of [`NOTHING_ENABLED`] for that of the word that says
/// whether the event is on. 0 until there is a session: so this needs no initial value, and no page of its
/// own in every process.
pub static ENABLED_SHIFT: AtomicUsize = AtomicUsize::new(0);

/// What stands for the session's words while all calls are to take the slow path.
#[unsafe(link_section = ".bss.lookback_large_slow")]
static ALL_SLOW: [AtomicU64; EVENTS] = [const { AtomicU64::new(0) }; EVENTS];

/// How many threads want that.
static SLOW: AtomicU32 = AtomicU32::new(0);

/// Makes the session's words the ones that are looked at.
pub(crate) fn use_words(words: &'static [AtomicU64; EVENTS]) {
    let session = words.as_ptr().expose_provenance();
    ENABLED_SHIFT.store(session.wrapping_sub(NOTHING_ENABLED.as_ptr().addr()), Relaxed);
}

/// Has all wrapped calls of this process take the slow path, whether their events are enabled or not, until
/// as many have said that they needn't as have said that they should. Cost: 32 KB of memory, once.
///
/// Async-signal-safe.
// AcqRel: of two who do it at once the last one to count decides.
pub fn slow_calls(is_slow: bool) {
    let Some(shared) = current::shared() else { return };
    if is_slow {
        SLOW.fetch_add(1, AcqRel);
        ALL_SLOW.iter().for_each(|word| word.store(BY_SWITCHES, Relaxed));
        use_words(&ALL_SLOW);
    } else if SLOW.fetch_sub(1, AcqRel) == 1 {
        use_words(shared.control.enabled_words());
        if SLOW.load(Acquire) != 0 {
            use_words(&ALL_SLOW);
        }
    }
}

/// Makes all events look as if they were off.
pub(crate) fn use_no_words() {
    ENABLED_SHIFT.store(0, Relaxed);
}

/// The word that says whether an event is on. An id that is none has that of another.
#[inline(always)]
pub fn enabled_word(event: u16) -> &'static AtomicU64 {
    let index = event_index(event);
    let shift = ENABLED_SHIFT.load(Relaxed);
    let address = (&raw const NOTHING_ENABLED[index]).expose_provenance().wrapping_add(shift);
    // SAFETY: the address of that word in one of two tables that are never unmapped.
    unsafe { &*core::ptr::with_exposed_provenance(address) }
}

/// Whether an event is on. Two loads and two comparisons.
#[inline(always)]
pub fn is_enabled(event: u16) -> bool {
    !matches!(enabled_word(event).load(Relaxed), OFF | CALLING | WATCHED)
}
