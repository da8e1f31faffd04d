//! Calls that change which signals a thread blocks.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::arch::stub::stub;
use crate::preload::signal::blocked::{KNOWN, SignalMask, set};
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::ptr::with_exposed_provenance;
use libc::{SIG_BLOCK, SIG_SETMASK, SIG_UNBLOCK};
use trace_event::{set_signals_blocked, signal_mask, signals_are_blocked};

/// sigprocmask(2), pthread_sigmask(3). Where it isn't known what was before, and the program doesn't ask,
/// libc has to say it for us.
pub(crate) const CHANGE: CallHooks = CallHooks { before: before_change, after: after_change };

unsafe fn before_change(frame: &mut CallFrame) {
    let own = (&raw mut frame.scratch).expose_provenance() as u64;
    let [_, new, before, ..] = &mut frame.arguments;
    if *before != 0 && *new != 0 {
        // Where both are in one place it is gone afterwards. SAFETY: libc reads it as well.
        frame.scratch = unsafe { mask_at(*new) };
    } else if *before == 0 && signal_mask() & KNOWN == 0 {
        *before = own;
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
    set(match how as i32 {
        _ if frame.arguments[1] == 0 => old,
        SIG_BLOCK => old | new,
        SIG_UNBLOCK => old & !new,
        SIG_SETMASK => new,
        _ => old,
    });
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
                set_signals_blocked(false);
            }
        },
        after: |frame| {
            if frame.arguments[MASK] != 0 {
                set_signals_blocked(frame.scratch != 0);
            }
        },
    }
}

/// Asks libc for the mask, after a call of the program's that has changed it.
pub(crate) fn ask_again() {
    type Sigmask = unsafe extern "C" fn(i32, usize, *mut [SignalMask; 16]) -> i32;
    let mut mask = [0; 16];
    // SAFETY: the function has this type. It changes nothing but this set.
    let result = unsafe {
        let real: Sigmask = core::mem::transmute(real!(c"pthread_sigmask"));
        real(SIG_BLOCK, 0, &raw mut mask)
    };
    if result == 0 {
        set(mask[0]);
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
                ask_again();
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
