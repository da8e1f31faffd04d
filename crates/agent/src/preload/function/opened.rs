//! Libraries that the program has loaded, for which nobody has looked yet.
//!
//! dlopen(3) has to see who calls it, so it is jumped to, and nobody is there when it returns. But it owns
//! the word of the stack that has its return address: once that says something else it has returned, and so
//! it has if its thread makes a call from the same depth or above. Until then a load may be under way: what
//! is mapped by it may be unmapped again if it fails, and nobody says so.
//!
//! Invariants:
//! * **O1** While a thread looks for sites, which is its turn, no load is under way. Whoever begins one
//!   enters it and then waits for the turn's end; whoever has the turn looks at what was entered. One sees
//!   the other.
//! * **O2** So nobody waits in his turn for the dynamic linker's lock, whatever locks he has himself: those
//!   who load and unload libraries are not in it.

use super::turn;
use crate::preload::arch::thread_pointer::thread_pointer;
use crate::preload::memory::words::{self, WORD};
use crate::preload::signal::running;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicU32, AtomicUsize};
use trace_event::{FrameRecord, session, slow_calls};

/// How many loads can be under way at a time. What is loaded by more is seen with the next.
const LOADS: usize = 32;

/// A load that may be under way.
struct Load {
    /// Where its return address is; 0 for a free entry.
    slot: AtomicUsize,
    /// That address.
    returns_to: AtomicUsize,
    /// Where the frame of its call was.
    frame: AtomicUsize,
    /// The thread pointer of its thread.
    thread: AtomicUsize,
}

impl Load {
    const fn none() -> Load {
        Load {
            slot: AtomicUsize::new(0),
            returns_to: AtomicUsize::new(0),
            frame: AtomicUsize::new(0),
            thread: AtomicUsize::new(0),
        }
    }
}

static UNDER_WAY: [Load; LOADS] = [const { Load::none() }; LOADS];

/// [`LOADED`] if nobody has looked since a load began, and [`SLOW`] if calls take the slow path for that.
static UNSEEN: AtomicU32 = AtomicU32::new(0);
const LOADED: u32 = 1;
const SLOW: u32 = 2;

/// An entry that is being filled, or emptied.
const TAKEN: usize = 1;

/// Whether nobody has looked since a load began. Cost: a load.
// Relaxed: a hint.
#[inline(always)]
pub(super) fn is_unseen() -> bool {
    UNSEEN.load(Relaxed) != 0
}

/// Notes that the calling thread is about to load a library, by a call whose frame is at this address and has
/// this record.
// SeqCst: of this entry and the turn, and those of `have_returned`, one sees the other (O1); who finds the
// slot finds the rest. AcqRel: of two who do it at once one undoes what is one too many.
pub(super) fn begins(frame: usize, record: *const FrameRecord) {
    let slot = record.addr() + size_of::<u64>();
    // SAFETY: the record of a call that is under way.
    let [_, returns_to] = unsafe { *record };
    let free = UNDER_WAY.iter().find(|load| load.slot.compare_exchange(0, TAKEN, SeqCst, Relaxed).is_ok());
    let Some(load) = free else { return };
    load.returns_to.store(returns_to as usize, Relaxed);
    load.frame.store(frame, Relaxed);
    load.thread.store(thread_pointer(), Relaxed);
    load.slot.store(slot, SeqCst);
    let is_slow = session().is_some_and(|session| session.control().functions_wanted() != 0);
    if is_slow {
        slow_calls(true);
    }
    let before = UNSEEN.fetch_or(if is_slow { LOADED | SLOW } else { LOADED }, AcqRel);
    if is_slow && before & SLOW != 0 {
        slow_calls(false);
    }
    // A handler may have interrupted whoever has the turn.
    if !running::is_running() {
        turn::wait();
    }
}

/// Whether all loads have returned, as seen from a call whose frame is at this address. For one who has the
/// turn.
pub(super) fn have_returned(frame: usize) -> bool {
    // All of them: those that have returned are forgotten.
    UNDER_WAY.iter().filter(|load| !load.has_returned(frame)).count() == 0
}

/// Says that the caller, who has the turn, looks for sites now.
// AcqRel: as in `begins`.
pub(super) fn looks() {
    if UNSEEN.swap(0, AcqRel) & SLOW != 0 {
        slow_calls(false);
    }
}

/// Forgets the loads of a thread that ends: others look for it.
pub(super) fn thread_ends() {
    let own = thread_pointer();
    UNDER_WAY.iter().filter(|load| load.is_of(own)).for_each(Load::forget);
}

/// In a copy of the process: other threads' loads are not under way there, and may have left the dynamic
/// linker's lock taken. So nobody looks until the copy loads a library itself.
pub(super) fn copied() {
    let own = thread_pointer();
    UNDER_WAY.iter().filter(|load| !load.is_of(own)).for_each(Load::forget);
    looks();
}

impl Load {
    // Acquire: pairs with the store of the slot in `begins`.
    fn is_of(&self, thread: usize) -> bool {
        self.slot.load(Acquire) > TAKEN && self.thread.load(Relaxed) == thread
    }

    // Release: pairs with the compare-exchange of `begins`.
    fn forget(&self) {
        self.slot.store(0, Release);
    }

    /// Whether it has returned, or is none. One that has is forgotten.
    // SeqCst: see `begins`.
    fn has_returned(&self, frame: usize) -> bool {
        let slot = self.slot.load(SeqCst);
        match slot {
            0 => return true,
            TAKEN => return false,
            _ => {}
        }
        let is_above = self.thread.load(Relaxed) == thread_pointer() && frame >= self.frame.load(Relaxed);
        let has_returned = is_above || word_at(slot) != Some(self.returns_to.load(Relaxed));
        if has_returned {
            self.forget();
        }
        has_returned
    }
}

/// The word of a stack, which may be another thread's, and gone.
fn word_at(address: usize) -> Option<usize> {
    let mut word = [0];
    (words::copy(&mut word, &[[address as u64, WORD]]) == WORD as i64).then_some(word[0] as usize)
}
