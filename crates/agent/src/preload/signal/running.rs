//! Whether a handler of a signal is running.

use libc::ucontext_t;
use trace_event::{HandlerStack, thread_words};

thread_words!(
    /// The addresses below which, and from which on, the stack pointer is while the thread's last handler
    /// runs.
    fn running() -> *mut [usize; 2],
    "lookback_thread_handler"
);

/// The most bytes of a handler's stack that are taken for it, where it is on that of what it has interrupted.
const DEPTH: usize = 1 << 20;

/// Bytes of an alternate stack that recording leaves to the handler. With less it is not recorded: the
/// program may have made its stack as large as it needs it itself.
const LEAST_SPACE: usize = 3072;

/// Notes where the handler runs that is about to be entered: below the kernel's frame, and on the alternate
/// stack where that is on it. Who leaves it otherwise than by returning or by longjmp doesn't say so, but the
/// stack pointer is elsewhere then.
///
/// # Safety
///
/// The context is that of a handler's thread.
pub(crate) unsafe fn begins(context: *const ucontext_t) -> HandlerStack {
    let frame = context.addr();
    // SAFETY: the caller's promise.
    let stack = unsafe { (*context).uc_stack };
    let alternate = stack.ss_sp.addr();
    let is_on_alternate = (alternate..alternate.wrapping_add(stack.ss_size)).contains(&frame);
    let lowest = if is_on_alternate { alternate } else { frame.saturating_sub(DEPTH) };
    // SAFETY: the words are the thread's own.
    unsafe { running().write_volatile([frame, lowest]) };
    HandlerStack { frame, lowest }
}

/// Whether the calling thread seems to be in a handler that was set through libc since the process has
/// attached.
pub(crate) fn is_running() -> bool {
    // SAFETY: the words are the thread's own.
    let [frame, lowest] = unsafe { running().read_volatile() };
    let here = 0_u8;
    (lowest..frame).contains(&(&raw const here).addr())
}

/// Whether there is space on the stack to record.
///
/// # Safety
///
/// The context is that of a handler's thread.
pub(crate) unsafe fn has_space(context: *const ucontext_t) -> bool {
    // SAFETY: the caller's promise.
    let stack = unsafe { (*context).uc_stack };
    let here = (&raw const stack).addr();
    let below = here.wrapping_sub(stack.ss_sp.addr());
    below >= stack.ss_size || below >= LEAST_SPACE
}
