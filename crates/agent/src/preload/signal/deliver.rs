//! What happens when a handler is entered.
//!
//! # Safety
//!
//! The thunks call what is here, with what the kernel has given to them.

use crate::preload::arch::shadow_stack;
use crate::preload::arch::thunks::{RETURNED, returned};
use crate::preload::section;
use crate::preload::signal::action::{HANDLERS, HandlerAction};
use crate::preload::signal::blocked::{self, SignalMask, bit};
use crate::preload::signal::{fatal, running};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};
use events::{SA_RESTORER, signal};
use libc::{SA_NODEFER, SA_RESETHAND, siginfo_t, ucontext_t};
use ring_buffer::RecordBuffer;
use trace_event::{enter, handler_begins, handler_ends, is_enabled};

/// What is blocked in addition while the handler of a signal runs, as it was set.
static MASKS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// Notes with which mask a handler is set.
pub(crate) fn note_mask(number: i32, mask: SignalMask) {
    if let Some(word) = MASKS.get((number as usize).wrapping_sub(1)) {
        word.store(mask, Relaxed);
    }
}

/// What is blocked in addition while the handler of this signal runs, that was set with these flags.
fn mask_of(number: i32, flags: u32) -> SignalMask {
    let itself = if flags & SA_NODEFER as u32 == 0 { bit(number) } else { 0 };
    MASKS.get((number as usize).wrapping_sub(1)).map_or(0, |word| word.load(Relaxed)) | itself
}

/// Records that a handler is entered, and gives it.
pub(crate) unsafe extern "C" fn delivered(
    number: i32,
    info: *const siginfo_t,
    context: *const ucontext_t,
    thunk: usize,
    return_address: *mut usize,
) -> usize {
    let action = HandlerAction::unpacked(HANDLERS.get(thunk).map_or(0, |word| word.load(Relaxed)));
    // SAFETY: the kernel has put it on the stack.
    let stack = unsafe { running::begins(context) };
    // SAFETY: the handler is about to be entered, and returns by what is there.
    if !action.is_fatal() && unsafe { will_be_seen_to_return(context, return_address) } {
        handler_begins(stack);
        // SAFETY: the kernel has put it on the stack.
        let before = unsafe { interrupted_mask(context) };
        let mask = before | mask_of(number, action.flags);
        // SAFETY: the kernel has put it on the stack.
        unsafe { change_mask(context, mask, action.known_handler()) };
    }
    // SAFETY: the kernel has put it on the stack.
    let has_space = || unsafe { running::has_space(context) };
    if action.is_fatal() && has_space() {
        // SAFETY: the kernel has put it on the stack.
        fatal::record_fault(unsafe { &*context });
    }
    if is_enabled(signal::DELIVER_ID) && has_space() {
        // SAFETY: the kernel has put it on the stack.
        record(action, number, unsafe { &*info });
    }
    if action.is_fatal() {
        return fatal::end as *const () as usize;
    }
    if action.flags & SA_RESETHAND as u32 != 0 {
        // The kernel has set the default.
        fatal::put_back(number);
    }
    action.handler
}

/// Where handlers return to by themselves: libc's code that calls sigreturn(2). 0 until the first.
static RESTORER: AtomicUsize = AtomicUsize::new(0);

/// Has a handler return to [`handler_returned`] first. Not where another than the kernel has called it, and
/// not where the processor keeps return addresses of its own.
///
/// # Safety
///
/// The handler returns to what is at `return_address`.
unsafe fn will_be_seen_to_return(context: *const ucontext_t, return_address: *mut usize) -> bool {
    if return_address.wrapping_add(1).addr() != context.addr() || shadow_stack::is_on() {
        return false;
    }
    // SAFETY: the caller's promise.
    let found = unsafe { return_address.read() };
    let known = RESTORER.compare_exchange(0, found, Relaxed, Relaxed).unwrap_or_else(|known| known);
    let is_libc = known == 0 || known == found;
    if is_libc {
        // SAFETY: the caller's promise. It restores what the handler has interrupted, as libc's does.
        unsafe { return_address.write(returned as *const () as usize + RETURNED) };
    }
    is_libc
}

/// Says that a handler has returned, and where it goes on.
pub(crate) unsafe extern "C" fn handler_returned(context: *const ucontext_t) -> usize {
    // SAFETY: the kernel has put it on the stack, and takes the mask from there, and where it goes on.
    unsafe {
        let to = (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize;
        change_mask(context, interrupted_mask(context), to);
    }
    handler_ends(context.addr());
    RESTORER.load(Relaxed)
}

/// Says what is blocked from now on, as a handler begins, or where the thread goes on after one.
///
/// # Safety
///
/// The context is that of a handler of the calling thread.
unsafe fn change_mask(context: *const ucontext_t, mask: SignalMask, place: usize) {
    // SAFETY: the caller's promise; there is no frame.
    unsafe {
        if running::has_space(context) {
            blocked::change(None, mask, || section::by(place));
        } else {
            blocked::set(mask);
        }
    }
}

/// What was blocked where a handler has interrupted the thread, and is when it has returned.
///
/// # Safety
///
/// The context is that of a handler of the calling thread.
unsafe fn interrupted_mask(context: *const ucontext_t) -> SignalMask {
    // SAFETY: the caller's promise. A set of signals starts with the kernel's word.
    unsafe { (&raw const (*context).uc_sigmask).cast::<SignalMask>().read() }
}

#[inline(never)]
fn record(action: HandlerAction, number: i32, info: &siginfo_t) {
    let Some(entered) = enter() else { return };
    let mut record = RecordBuffer::<5>::new();
    record.push(entered.common(signal::DELIVER_ID));
    for half in [number, info.si_errno, info.si_code, 0] {
        record.push_half(half as u32);
    }
    record.push(action.known_handler() as u64);
    record.push(u64::from(action.flags | SA_RESTORER as u32));
    entered.write(record.event());
}
