//! Calls that change which signals a thread blocks.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::arch::stub::stub;
use crate::preload::section;
use crate::preload::signal::blocked::{self, KNOWN, SignalMask};
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::ptr::with_exposed_provenance;
use libc::{SIG_BLOCK, SIG_SETMASK, SIG_UNBLOCK};
use trace_event::{
    change_state, section_state, sections_are_measured, set_signals_blocked, signal_mask,
    signals_are_blocked, with_signals,
};

/// sigprocmask(2), pthread_sigmask(3). Where it isn't known what was before, and the program doesn't ask,
/// libc has to say it for us.
pub(crate) const CHANGE: CallHooks = CallHooks { before: before_change, after: after_change };

unsafe fn before_change(frame: &mut CallFrame) {
    if sections_are_measured() {
        // SAFETY: the caller's promise.
        unsafe { end_section(frame) };
    }
    let own = (&raw mut frame.scratch).expose_provenance() as u64;
    let [_, new, before, ..] = &mut frame.arguments;
    if *before != 0 && *new != 0 {
        // Where both are in one place it is gone afterwards. SAFETY: libc reads it as well.
        frame.scratch = unsafe { mask_at(*new) };
    } else if *before == 0 && signal_mask() & KNOWN == 0 {
        *before = own;
    }
}

/// Ends the section of what is blocked, if it ends by this call: before it. What has waited for that is
/// handled in the call.
unsafe fn end_section(frame: &CallFrame) {
    let [how, new, ..] = frame.arguments;
    let (state, old) = (section_state(), signal_mask());
    if new != 0 && old & KNOWN != 0 {
        // SAFETY: libc reads it as well.
        let after = with_signals(state, blocked::blocks(changed(how as i32, old, unsafe { mask_at(new) })));
        if after < state {
            // SAFETY: the caller's promise.
            unsafe { change_state((state, after), || section::by_call(frame, 0), || ()) };
        }
    }
}

/// What is blocked after a call of sigprocmask(2) with this set, where it was `old` before.
fn changed(how: i32, old: SignalMask, new: SignalMask) -> SignalMask {
    match how {
        SIG_BLOCK => old | new,
        SIG_UNBLOCK => old & !new,
        SIG_SETMASK => new,
        _ => old,
    }
}

unsafe fn after_change(frame: &mut CallFrame) {
    let own = (&raw mut frame.scratch).expose_provenance() as u64;
    let [how, new, before, ..] = frame.arguments;
    if before == own {
        frame.arguments[2] = 0;
    }
    if frame.result as i32 != 0 || (new, before) == (0, 0) {
        return;
    }
    // SAFETY: libc has filled the one, and read the other, which is still there where libc has filled nothing
    // else.
    let (old, new) = unsafe {
        match before {
            0 => (signal_mask(), mask_at(new)),
            _ if new == 0 => (mask_at(before), 0),
            _ if before == own => (frame.scratch, mask_at(new)),
            _ => (mask_at(before), frame.scratch),
        }
    };
    let mask = if frame.arguments[1] == 0 { old } else { changed(how as i32, old, new) };
    // SAFETY: the caller's promise.
    unsafe { blocked::change(Some(old), mask, || section::by_call(frame, 0)) };
}

/// The mask that a set of signals starts with.
///
/// # Safety
///
/// There is one at this address.
unsafe fn mask_at(address: u64) -> SignalMask {
    // SAFETY: the caller's promise.
    unsafe { with_exposed_provenance::<SignalMask>(address as usize).read_unaligned() }
}

/// sigsuspend(2), which waits with another mask.
pub(crate) const SUSPEND: CallHooks = waits::<0>();
/// ppoll(2).
pub(crate) const PPOLL: CallHooks = waits::<3>();
/// pselect(2).
pub(crate) const PSELECT: CallHooks = waits::<5>();
/// epoll_pwait(2), epoll_pwait2(2).
pub(crate) const EPOLL_PWAIT: CallHooks = waits::<4>();

/// A call that waits with another mask, if there is one in this argument, and has the one before again when
/// it returns. What is blocked meanwhile isn't looked at: such a call is there to let signals come.
const fn waits<const MASK: usize>() -> CallHooks {
    CallHooks {
        before: |frame| {
            frame.scratch = u64::from(signals_are_blocked());
            if frame.arguments[MASK] != 0 {
                // SAFETY: the frame of such a call.
                unsafe { say_blocked(frame, false) };
            }
        },
        after: |frame| {
            if frame.arguments[MASK] != 0 {
                // SAFETY: the frame of such a call.
                unsafe { say_blocked(frame, frame.scratch != 0) };
            }
        },
    }
}

/// Says whether asynchronous signals are blocked from now on, by this call.
unsafe fn say_blocked(frame: &CallFrame, blocked: bool) {
    let state = section_state();
    let states = (state, with_signals(state, blocked));
    // SAFETY: the caller's promise.
    unsafe { change_state(states, || section::by_call(frame, 0), || set_signals_blocked(blocked)) };
}

/// Asks libc for the mask, after a call of the program's to this function that has changed it.
pub(crate) fn ask_again(function: usize) {
    type Sigmask = unsafe extern "C" fn(i32, usize, *mut [SignalMask; 16]) -> i32;
    let mut mask = [0; 16];
    // SAFETY: the function has this type. It changes nothing but this set.
    let result = unsafe {
        let real: Sigmask = core::mem::transmute(real!(c"pthread_sigmask"));
        real(SIG_BLOCK, 0, &raw mut mask)
    };
    if result == 0 {
        // SAFETY: there is no frame.
        unsafe { blocked::change(None, mask[0], || section::by(function)) };
    }
}

/// Older functions that change the mask: they take a number and return one.
macro_rules! change {
    ($($symbol:ident $body:ident $name:literal;)*) => {
        $(
            unsafe extern "C" fn $body(number: i32, _caller: usize) -> i32 {
                // SAFETY: the function has this type; the program's own call.
                let result = unsafe {
                    let real: unsafe extern "C" fn(i32) -> i32 = core::mem::transmute(real!($name));
                    real(number)
                };
                ask_again(real!($name));
                result
            }
            stub!($symbol, $body, number);
        )*
    };
}

change! {
    sigblock sigblock_body c"sigblock";
    sigsetmask sigsetmask_body c"sigsetmask";
    sighold sighold_body c"sighold";
    sigrelse sigrelse_body c"sigrelse";
}
