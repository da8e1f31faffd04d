//! What happens when a handler is entered.
//!
//! # Safety
//!
//! The thunks call what is here, with what the kernel has given to them.

use crate::preload::signal::running;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use events::{SA_RESTORER, signal};
use libc::{siginfo_t, ucontext_t};
use ring_buffer::RecordBuffer;
use trace_event::{enter, is_enabled};

/// How many handlers with their flags are distinguished.
pub(crate) const THUNKS: usize = 128;

/// Bytes of an alternate stack that recording leaves to the handler. With less it is not recorded: the
/// program may have made its stack as large as it needs it itself.
const LEAST_SPACE: usize = 3072;

/// The handler of each thunk, see [`HandlerAction::packed`]; 0 for one that is free.
#[unsafe(link_section = ".bss.lookback_large_handlers")]
pub(crate) static HANDLERS: [AtomicU64; THUNKS] = [const { AtomicU64::new(0) }; THUNKS];

/// A handler and the flags that it was set with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandlerAction {
    pub(crate) handler: usize,
    pub(crate) flags: u32,
}

impl HandlerAction {
    /// In one word: the address in 48 bits, the flags that there are above. None when that doesn't fit.
    pub(crate) fn packed(self) -> Option<u64> {
        let flags = self.flags & 7 | self.flags >> 10 << 3 & 0x18 | self.flags >> 26 << 5;
        let packed = self.handler as u64 | u64::from(flags) << 48;
        (HandlerAction::unpacked(packed) == self).then_some(packed)
    }

    pub(crate) fn unpacked(packed: u64) -> HandlerAction {
        let flags = (packed >> 48) as u32;
        let flags = flags & 7 | (flags & 0x18) << 7 | flags >> 5 << 26;
        HandlerAction { handler: (packed & 0xffff_ffff_ffff) as usize, flags }
    }
}

/// Records that a handler is entered, and gives it.
pub(crate) unsafe extern "C" fn delivered(
    number: i32,
    info: *const siginfo_t,
    context: *const ucontext_t,
    thunk: usize,
) -> usize {
    let action = HandlerAction::unpacked(HANDLERS.get(thunk).map_or(0, |word| word.load(Relaxed)));
    // SAFETY: the kernel has put it on the stack.
    unsafe { running::begins(context) };
    // SAFETY: the kernel has put both on the stack.
    if is_enabled(signal::DELIVER_ID) && unsafe { has_space(context) } {
        // SAFETY: the kernel has put it on the stack.
        record(action, number, unsafe { &*info });
    }
    action.handler
}

/// Whether there is space on the stack to record.
///
/// # Safety
///
/// The context is that of a handler's thread.
unsafe fn has_space(context: *const ucontext_t) -> bool {
    // SAFETY: the caller's promise.
    let stack = unsafe { (*context).uc_stack };
    let here = (&raw const stack).addr();
    let below = here.wrapping_sub(stack.ss_sp.addr());
    below >= stack.ss_size || below >= LEAST_SPACE
}

#[inline(never)]
fn record(action: HandlerAction, number: i32, info: &siginfo_t) {
    let Some(entered) = enter() else { return };
    let mut record = RecordBuffer::<5>::new();
    record.push(entered.common(signal::DELIVER_ID));
    for half in [number, info.si_errno, info.si_code, 0] {
        record.push_half(half as u32);
    }
    record.push(action.handler as u64);
    record.push(u64::from(action.flags | SA_RESTORER as u32));
    entered.write(record.event());
}
