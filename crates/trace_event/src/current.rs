//! Where the session is that this process is attached to.
//!
//! There is one at a time. What was found of it stays as long as a thread may be using it: that of another
//! session takes its place only once none can be, see [`free`].

use crate::shared::SharedSession;
use crate::writers;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The session. Filled before `FILLED` is set.
struct Cell(UnsafeCell<MaybeUninit<SharedSession>>);

// SAFETY: written by the thread that has moved `FILLED` to FILLING, read after it is FULL.
unsafe impl Sync for Cell {}

static SHARED: Cell = Cell(UnsafeCell::new(MaybeUninit::uninit()));
static FILLED: AtomicU32 = AtomicU32::new(EMPTY);
const EMPTY: u32 = 0;
const FILLING: u32 = 1;
const FULL: u32 = 2;
const LEFT: u32 = 3;
const DETACHED: u32 = 4;

/// Which of the process's sessions there is, or is to be: how many were [freed](free) before. With
/// [`NO_TURN`] while the process is detached from it, and since it has left it.
static TURN: AtomicU32 = AtomicU32::new(0);
const NO_TURN: u32 = 1 << 31;

/// Which of the process's sessions it is, for threads to keep.
// Relaxed: who keeps it uses the session, which isn't freed meanwhile.
#[inline(always)]
pub(crate) fn turn() -> u32 {
    TURN.load(Relaxed) & !NO_TURN
}

/// Whether it is this one of the process's sessions, and the process is attached to it: else what threads
/// keep of it is of no use, and may be freed at any time.
// Relaxed: whoever is seen elsewhere after the process was detached has seen that when he comes here again.
#[inline(always)]
pub(crate) fn is_turn(turn: u32) -> bool {
    TURN.load(Relaxed) == turn
}

/// How often the process was detached.
static DETACHED_TIMES: AtomicU32 = AtomicU32::new(0);

/// How often the process was detached.
pub(crate) fn detached_times() -> u32 {
    DETACHED_TIMES.load(Relaxed)
}

/// The session, if there is one.
#[inline(always)]
pub(crate) fn shared() -> Option<&'static SharedSession> {
    if FILLED.load(Acquire) != FULL {
        return None;
    }
    // SAFETY: it was filled before.
    Some(unsafe { (*SHARED.0.get()).assume_init_ref() })
}

/// The session, for a thread that is [known](crate::thread::known) in it.
///
/// # Safety
///
/// What the thread keeps is of the process's [turn](is_turn).
// Who keeps that has found the session before, and it is not freed meanwhile.
#[inline(always)]
pub(crate) unsafe fn known() -> &'static SharedSession {
    // SAFETY: it was filled before, as the caller promises.
    unsafe { (*SHARED.0.get()).assume_init_ref() }
}

/// The one chance to attach: until it is dropped nobody else has it. If it has not [ended](Filling::end) by
/// then it comes again.
pub(crate) struct Filling(());

impl Filling {
    /// None where the process is attached, or about to be, or has left.
    pub(crate) fn begin() -> Option<Filling> {
        FILLED.compare_exchange(EMPTY, FILLING, AcqRel, Relaxed).ok().map(|_| Filling(()))
    }

    /// Stores the session. Nobody else finds it yet.
    pub(crate) fn put(&self, shared: SharedSession) -> &'static SharedSession {
        // SAFETY: nobody else is between EMPTY and FULL.
        unsafe { (*SHARED.0.get()).write(shared) }
    }

    /// Lets everybody find the session, which has been stored.
    pub(crate) fn end(self) {
        FILLED.store(FULL, Release);
        core::mem::forget(self);
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        FILLED.store(EMPTY, Release);
    }
}

/// Lets nobody find the session until it is [`found_again`]. False where there is none.
pub(crate) fn detach() -> bool {
    let is_detached = FILLED.compare_exchange(FULL, DETACHED, AcqRel, Relaxed).is_ok();
    if is_detached {
        TURN.fetch_or(NO_TURN, Relaxed);
    }
    DETACHED_TIMES.fetch_add(u32::from(is_detached), Relaxed);
    is_detached
}

/// Frees the session that the process was detached from.
///
/// # Safety
///
/// Since the process was detached, each of its threads has been where it uses nothing of a session.
pub(crate) unsafe fn free() {
    if FILLED.compare_exchange(DETACHED, FILLING, AcqRel, Relaxed).is_ok() {
        // SAFETY: it was filled before; nobody else finds it, or has found it before, as the caller promises.
        unsafe {
            writers::free();
            (*SHARED.0.get()).assume_init_drop();
        }
        TURN.store(turn().wrapping_add(1) & !NO_TURN, Relaxed);
        FILLED.store(EMPTY, Release);
    }
}

/// The session that the process was attached to, if it has been detached.
pub(crate) fn detached() -> Option<&'static SharedSession> {
    // SAFETY: it was filled before.
    (FILLED.load(Acquire) == DETACHED).then(|| unsafe { (*SHARED.0.get()).assume_init_ref() })
}

/// Lets everybody find the session again from which the process was detached.
pub(crate) fn found_again() {
    TURN.store(turn(), Relaxed);
    let _ = FILLED.compare_exchange(DETACHED, FULL, AcqRel, Relaxed);
}

/// Lets nobody find the session any more. False where there is none.
pub(crate) fn leave() -> bool {
    let has_left = FILLED.compare_exchange(FULL, LEFT, AcqRel, Relaxed).is_ok();
    if has_left {
        TURN.fetch_or(NO_TURN, Relaxed);
    }
    has_left
}
