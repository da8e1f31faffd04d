//! Whose turn it is to change code.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release, SeqCst};

/// 1 while a thread changes code, or looks for sites.
static BUSY: AtomicU32 = AtomicU32::new(0);

/// How many threads are unmapping objects.
static CLOSING: AtomicU32 = AtomicU32::new(0);

/// The calling thread's turn, as long as this is there.
#[derive(Debug)]
pub(super) struct Turn(());

impl Turn {
    /// Takes a turn. None while somebody else has it, or objects are being unmapped: the caller does without.
    // SeqCst: of this store and load, and those of `closing`, one sees the other.
    pub(super) fn take() -> Option<Turn> {
        BUSY.compare_exchange(0, 1, SeqCst, Relaxed).ok()?;
        let turn = Turn(());
        (CLOSING.load(SeqCst) == 0).then_some(turn)
    }
}

impl Drop for Turn {
    // Release: pairs with the SeqCst of `take`: what this thread has changed is seen by the next.
    fn drop(&mut self) {
        BUSY.store(0, Release);
    }
}

/// Gives the turn back that a thread of the parent had when this process was copied from it.
pub(super) fn copied() {
    BUSY.store(0, Release);
    CLOSING.store(0, Release);
}

/// Waits for the end of the turn that somebody has, who waits for nobody.
// SeqCst: pairs with the Release at a turn's end, and stands after what the caller has said before.
pub(super) fn wait() {
    while BUSY.load(SeqCst) != 0 {
        rustix::thread::sched_yield();
    }
}

/// Keeps everybody's turn away while an object may be unmapped, from the first call until the second.
///
/// The first waits for whose turn it is.
// SeqCst: see `Turn::take`.
pub(super) fn closing(begins: bool) {
    if begins {
        CLOSING.fetch_add(1, SeqCst);
        wait();
    } else {
        CLOSING.fetch_sub(1, AcqRel);
    }
}
