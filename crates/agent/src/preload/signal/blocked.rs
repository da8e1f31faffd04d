//! Which signals a thread blocks: each event says whether asynchronous ones are among them.
//!
//! What a thread blocks when it first records the kernel says; from then on what calls of libc's change is
//! followed. A mask that a thread has from elsewhere, as from swapcontext(3) or a system call of the
//! program's own, is known again when the program next asks what it blocks, sets all of it, or a handler
//! ends.

use crate::preload::arch::system_call;
use crate::preload::process::sandbox;
use trace_event::{StateChange, change_state, section_state, set_signal_mask, with_signals};

/// A mask of signals, a bit for each, as the kernel has it.
pub(crate) type SignalMask = u64;

/// The bit of a signal.
pub(crate) const fn bit(number: i32) -> SignalMask {
    1u64.wrapping_shl(number as u32 - 1)
}

/// Signals that a thread causes itself by what it does, that can't be blocked, or that are libc's own.
const OTHERS: SignalMask = bit(libc::SIGILL)
    | bit(libc::SIGTRAP)
    | bit(libc::SIGBUS)
    | bit(libc::SIGFPE)
    | bit(libc::SIGKILL)
    | bit(libc::SIGSEGV)
    | bit(libc::SIGPIPE)
    | bit(libc::SIGSTOP)
    | bit(libc::SIGSYS)
    | bit(32)
    | bit(33);

/// In a thread's word of what it blocks: that this is known. It is a signal that can't be blocked.
pub(crate) const KNOWN: SignalMask = bit(libc::SIGKILL);

/// Whether asynchronous signals are in a mask.
pub(crate) fn blocks(mask: SignalMask) -> bool {
    mask & !OTHERS != 0
}

/// Says which signals the calling thread blocks from now on.
pub(crate) fn set(mask: SignalMask) {
    set_signal_mask(mask | KNOWN, blocks(mask));
}

/// Says so where that changes by `change`: from what is known, or from what was blocked before as the kernel
/// says it.
///
/// # Safety
///
/// As for [`change_state`].
pub(crate) unsafe fn change(
    before: Option<SignalMask>,
    mask: SignalMask,
    change: impl FnOnce() -> StateChange,
) {
    let state = section_state();
    let known = before.map_or(state, |before| with_signals(state, blocks(before)));
    // SAFETY: the caller's promise.
    unsafe { change_state((known, with_signals(state, blocks(mask))), change, || set(mask)) };
}

/// Finds out what the calling thread blocks, where the kernel may be asked: once, when it first records.
pub(crate) fn find_out() {
    if !sandbox::may_be_there() {
        let mut mask: SignalMask = 0;
        let arguments = [0, 0, (&raw mut mask).expose_provenance() as u64, size_of_val(&mask) as u64, 0, 0];
        // SAFETY: changes nothing but this word.
        if unsafe { system_call::call(libc::SYS_rt_sigprocmask, arguments) } == 0 {
            set(mask);
        }
    }
}

/// Does something with all signals of the thread blocked, of which the program sees nothing. None, and
/// nothing is done, where they can't be blocked.
pub(crate) fn with_all_blocked<T>(act: impl FnOnce() -> T) -> Option<T> {
    let before = replace_mask(SignalMask::MAX)?;
    let done = act();
    replace_mask(before);
    Some(done)
}

/// Which signals the kernel blocks from now on. Those that it has blocked before.
fn replace_mask(mask: SignalMask) -> Option<SignalMask> {
    let mut before: SignalMask = 0;
    let sets = [(&raw const mask).expose_provenance(), (&raw mut before).expose_provenance()];
    let [new, old] = sets.map(|set| set as u64);
    let arguments = [libc::SIG_SETMASK as u64, new, old, size_of::<SignalMask>() as u64, 0, 0];
    // SAFETY: the mask is there, and space for the other one.
    (unsafe { system_call::call(libc::SYS_rt_sigprocmask, arguments) } == 0).then_some(before)
}
