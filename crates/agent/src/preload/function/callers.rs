//! Who calls `mcount` and `__fentry__`, where no section says so: each caller is noted once.
//!
//! The pool has its size from the start: nothing is ever allocated here. Where there is no space for a caller
//! it is noted when it calls again. Callers leave the pool when their calls have become nops, so there is
//! space again.
//!
//! Any thread may come here at any time, also in a signal handler, and before the process is attached.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// The callers that the pool has space for, by the addresses that their calls return to: 0 is none.
#[unsafe(link_section = ".bss.lookback_large_callers")]
pub(crate) static POOL: [AtomicU64; 1 << POOL_BITS] = [const { AtomicU64::new(0) }; 1 << POOL_BITS];
const POOL_BITS: u32 = 13;

/// A caller's place is that of its product's highest bits.
pub(crate) const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// So far they are moved.
pub(crate) const HASH_SHIFT: u32 = u64::BITS - POOL_BITS;

/// The places after its own that a caller may be at.
const TRIED: usize = 16;

/// What calls are to do: [`FORWARDING`], [`NOTING`], or [`DECIDING`].
pub(crate) static STATE: AtomicU32 = AtomicU32::new(NOTING);
/// All go on to libc's function: no caller in this process is to be noted.
const FORWARDING: u32 = 0;
/// Callers that are in their own place of the pool go on.
pub(crate) const NOTING: u32 = 1;
/// None goes on before it was looked at: functions are traced, or were.
const DECIDING: u32 = 2;

/// How many callers were noted since the pool was last emptied.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// How often there was no space since then.
static SKIPPED: AtomicU64 = AtomicU64::new(0);

/// Puts a caller into the pool, unless it is there. (record_ip)
// AcqRel: who empties the pool sees what was counted before. Relaxed: the word carries nothing but itself.
pub(super) fn note(returns_to: u64) {
    let first = (returns_to.wrapping_mul(HASH_MULTIPLIER) >> HASH_SHIFT) as usize;
    for place in (first..=first + TRIED).filter_map(|place| POOL.get(place % POOL.len())) {
        let mut known = place.load(Relaxed);
        if known == 0 {
            known = match place.compare_exchange(0, returns_to, AcqRel, Relaxed) {
                Ok(_) => {
                    WAITING.fetch_add(1, Release);
                    return;
                }
                Err(known) => known,
            };
        }
        if known == returns_to {
            return;
        }
    }
    SKIPPED.fetch_add(1, Relaxed);
}

/// Whether callers were noted since the pool was last emptied.
#[inline(always)]
pub(super) fn are_waiting() -> bool {
    WAITING.load(Relaxed) != 0
}

/// Empties the pool: gives each caller to `visit`. How often there was no space since the last time.
///
/// Callers that come meanwhile are in it afterwards, or were given; some may be noted again.
// Acquire: pairs with the Release of `note`.
pub(super) fn empty(visit: &mut dyn FnMut(u64)) -> u64 {
    WAITING.swap(0, Acquire);
    for place in &POOL {
        match place.load(Relaxed) {
            0 => {}
            returns_to => {
                visit(returns_to);
                place.store(0, Release);
            }
        }
    }
    SKIPPED.swap(0, Relaxed)
}

/// Says what calls are to do from now on: whether functions are traced, or were, and whether any are to be
/// noted.
// Relaxed: who is called while that changes may go either way.
pub(super) fn choose(is_traced: bool, is_noted: bool) {
    let state = match (is_traced, is_noted) {
        (true, _) => DECIDING,
        (false, true) => NOTING,
        (false, false) => FORWARDING,
    };
    STATE.store(state, Relaxed);
}
