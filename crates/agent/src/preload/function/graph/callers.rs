//! The return addresses that call slots stand in for, where somebody wants to see them.

use super::chain::outwards;
use super::thread::innermost;
use crate::preload::arch::call_slots;
use ::call_slots::WithState;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;

/// The address that a function returns to, given what it has on the stack.
#[inline(always)]
pub(crate) fn real_caller(return_address: u64) -> u64 {
    call_slots::slot_of(return_address).map_or(return_address, |slot| slot.caller.load(Relaxed))
}

/// Has the addresses that traced functions return to stand on the calling thread's stack between two
/// addresses, or those of call slots again. In between the thread does nothing but to copy them.
///
/// Async-signal-safe. A handler that comes in between and is left by a jump leaves them there: then nobody
/// sees these functions return.
pub(crate) fn show_callers(stack: Range<usize>, is_shown: bool) {
    for slot in outwards(innermost()) {
        // SAFETY: the calling thread's stack, which is in use there.
        unsafe { slot.show_caller(&stack, is_shown, slot.return_address()) };
    }
}
