//! Words of programs that say how many trace at a place: the semaphores of USDT.
//!
//! A program looks there whether it is worth the while to work out what a probe records. Each is raised by
//! one while a probe that has it is placed, however many have it.

use crate::preload::memory::words;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

/// The most that a process has.
const COUNTERS: usize = 256;

/// A counter.
struct ReferenceCounter {
    /// The object that it is in, as an address of what is known of that; 0 for a free entry.
    object: AtomicUsize,
    address: AtomicU64,
    /// [`RAISED`] and [`WANTED`].
    state: AtomicU32,
}

/// We have raised it.
const RAISED: u32 = 1;
/// A probe has it.
const WANTED: u32 = 2;

static TABLE: [ReferenceCounter; COUNTERS] = [const {
    ReferenceCounter { object: AtomicUsize::new(0), address: AtomicU64::new(0), state: AtomicU32::new(0) }
}; COUNTERS];

fn all() -> impl Iterator<Item = &'static ReferenceCounter> {
    TABLE.iter().take_while(|counter| counter.object.load(Relaxed) != 0)
}

fn within(object: usize) -> impl Iterator<Item = &'static ReferenceCounter> {
    all().filter(move |counter| counter.object.load(Relaxed) == object)
}

// Relaxed, everywhere: one turn at a time.

/// Has nobody want any, for one who has the turn.
pub(super) fn forget() {
    for counter in all() {
        counter.state.fetch_and(!WANTED, Relaxed);
    }
}

/// Has the one at an address in an object wanted.
pub(super) fn want(object: usize, address: u64) {
    let free = || TABLE.iter().find(|counter| counter.object.load(Relaxed) == 0);
    let known = within(object).find(|counter| counter.address.load(Relaxed) == address);
    if let Some(counter) = known.or_else(free) {
        counter.object.store(object, Relaxed);
        counter.address.store(address, Relaxed);
        counter.state.fetch_or(WANTED, Relaxed);
    }
}

/// Notes that the data of an object are as they are in its file.
pub(super) fn set_untouched(object: usize) {
    for counter in within(object) {
        counter.state.fetch_and(!RAISED, Relaxed);
    }
}

/// Raises those in an object that are wanted, and lowers those that are not any more.
pub(super) fn apply(object: usize) {
    for counter in within(object) {
        let change = match counter.state.load(Relaxed) {
            WANTED => 1,
            RAISED => -1,
            _ => continue,
        };
        if add(counter.address.load(Relaxed), change) {
            counter.state.fetch_xor(RAISED, Relaxed);
        }
    }
}

/// Adds to a counter. False where it can't be written: the kernel is asked, as a load or a store might end
/// the program.
fn add(address: u64, change: i16) -> bool {
    let mut word = [0];
    let size = size_of::<u16>();
    if words::copy(&mut word, &[[address, size as u64]]) != size as i64 {
        return false;
    }
    let [value] = word;
    words::store(address, &(value as u16).wrapping_add_signed(change).to_le_bytes())
}
