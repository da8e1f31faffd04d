//! The state that each event of a thread says that it was recorded in: whether signals are blocked, whether a
//! handler runs, how many locks are held.
//!
//! It is kept where the TID is, in [`common`](crate::ThreadState::common), so it costs an event nothing. What
//! changes it changes single bits by one instruction: a signal's handler that comes in between leaves the
//! others as they were, and puts its own right when it ends.

use crate::thread::thread_state;
use crate::{arch, thread_words};
use abi::common::{FLAG_SIGNAL_HANDLER, FLAG_SIGNALS_BLOCKED, MOST_LOCKS, word};
use core::slice::from_raw_parts;

const BLOCKED: u64 = word(0, FLAG_SIGNALS_BLOCKED, 0, 0);
const IN_HANDLER: u64 = word(0, FLAG_SIGNAL_HANDLER, 0, 0);
const LOCKS: u64 = word(0, 0, MOST_LOCKS as u8, 0);

/// Where a handler runs: the addresses below which, and from which on, the stack pointer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HandlerStack {
    /// Where the kernel's frame for the handler is.
    pub frame: usize,
    /// The end of the stack.
    pub lowest: usize,
}

/// How many handlers in each other are told apart.
const HANDLERS: usize = 4;

/// The handlers that a thread is in.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Handlers {
    depth: usize,
    _aligned: usize,
    stacks: [HandlerStack; HANDLERS],
}

thread_words!(
    /// The calling thread's.
    fn handlers() -> *mut Handlers,
    "lookback_thread_handlers"
);

fn common() -> *mut u64 {
    // SAFETY: the words are the thread's own, and there from its start to its end.
    unsafe { &raw mut (*thread_state()).common }
}

fn set(bits: u64, on: bool) {
    // SAFETY: the word is the thread's own.
    unsafe { if on { arch::set_bits(common(), bits) } else { arch::clear_bits(common(), bits) } }
}

/// Whether the calling thread has asynchronous signals blocked, as far as that was said.
pub fn signals_are_blocked() -> bool {
    // SAFETY: the word is the thread's own.
    unsafe { common().read_volatile() & BLOCKED != 0 }
}

/// Says whether the calling thread has asynchronous signals blocked from now on.
pub fn set_signals_blocked(blocked: bool) {
    set(BLOCKED, blocked);
}

/// Which signals the calling thread blocks, as [`set_signal_mask`] has said it last; 0 if it has not.
pub fn signal_mask() -> u64 {
    // SAFETY: the word is the thread's own.
    unsafe { (&raw const (*thread_state()).mask).read_volatile() }
}

/// Says which signals the calling thread blocks from now on, in a word of the caller's, and whether
/// asynchronous ones are among them.
pub fn set_signal_mask(mask: u64, blocked: bool) {
    // SAFETY: the word is the thread's own.
    unsafe { (&raw mut (*thread_state()).mask).write_volatile(mask) };
    set_signals_blocked(blocked);
}

/// How many locks the calling thread holds, as far as that was said.
pub fn locks_held() -> u32 {
    // SAFETY: the word is the thread's own.
    unsafe { (&raw const (*thread_state()).locks).read_volatile() }
}

/// Says that the calling thread holds one lock more, or one less. None less than 0: a lock may have been
/// taken unseen.
pub fn count_lock(is_held: bool) {
    let held = locks_held();
    let now = if is_held { held.saturating_add(1) } else { held.saturating_sub(1) };
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*thread_state()).locks).write_volatile(now) };
    set(LOCKS, false);
    set(word(0, 0, now.min(MOST_LOCKS) as u8, 0), true);
}

/// How far above another handler's frame one is taken to be on the same stack.
const SAME_STACK: usize = 1 << 20;

/// Says that a handler begins in the calling thread. Those whose frames lie where it doesn't run have ended,
/// by an exception.
pub fn handler_begins(stack: HandlerStack) {
    let words = handlers();
    let ended =
        |known: &HandlerStack| (known.frame..known.frame.wrapping_add(SAME_STACK)).contains(&stack.frame);
    if let Some(first) = known_stacks(depth()).iter().position(ended) {
        leave_handlers(first);
    }
    // SAFETY: the words are the thread's own.
    unsafe {
        let depth = (&raw const (*words).depth).read_volatile();
        if depth < HANDLERS {
            (&raw mut (*words).stacks[depth]).write_volatile(stack);
        }
        (&raw mut (*words).depth).write_volatile(depth + 1);
    }
    set(IN_HANDLER, true);
}

/// Says that the handler ends whose frame is there, and with it those in it.
pub fn handler_ends(frame: usize) {
    let depth = depth();
    let known = known_stacks(depth);
    let ended = known.iter().rposition(|stack| stack.frame == frame);
    leave_handlers(ended.unwrap_or(depth.saturating_sub(1)));
}

/// Says that the calling thread jumps to where the stack pointer is `to`: out of all handlers that don't run
/// there.
pub fn jump_out_of_handlers(to: usize) {
    let depth = depth();
    if depth != 0 {
        let stays = |stack: &HandlerStack| (stack.lowest..stack.frame).contains(&to);
        leave_handlers(known_stacks(depth).iter().rposition(stays).map_or(0, |last| last + 1));
    }
}

fn depth() -> usize {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw const (*handlers()).depth).read_volatile() }
}

fn known_stacks(depth: usize) -> &'static [HandlerStack] {
    // SAFETY: the words are the thread's own, and change only below, and where a handler begins and ends:
    // above those that are looked at.
    unsafe { from_raw_parts((&raw const (*handlers()).stacks).cast(), depth.min(HANDLERS)) }
}

fn leave_handlers(depth: usize) {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*handlers()).depth).write_volatile(depth) };
    set(IN_HANDLER, depth != 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (bool, bool, u64) {
        // SAFETY: the word is the thread's own.
        let word = unsafe { common().read() };
        (word & BLOCKED != 0, word & IN_HANDLER != 0, (word & LOCKS) >> 24)
    }

    #[test]
    fn locks_are_counted_as_far_as_an_event_can_say() {
        count_lock(false);
        assert_eq!((locks_held(), state()), (0, (false, false, 0)));
        (0..17).for_each(|_| count_lock(true));
        assert_eq!((locks_held(), state()), (17, (false, false, 15)));
        set_signals_blocked(true);
        (0..3).for_each(|_| count_lock(false));
        assert_eq!((locks_held(), state()), (14, (true, false, 14)));
        // SAFETY: the word is the thread's own.
        assert_eq!(unsafe { common().read() } & !abi::common::STATE, 0);
    }

    #[test]
    fn handlers_end_by_return_and_by_jumps() {
        let stack = |frame: usize| HandlerStack { frame, lowest: frame - 0x100 };
        [0x9000, 0x8f80, 0x8f00].into_iter().for_each(|frame| handler_begins(stack(frame)));
        handler_ends(0x8f00);
        assert_eq!((depth(), state().1), (2, true));
        jump_out_of_handlers(0x8f90);
        assert_eq!((depth(), state().1), (1, true));
        (0..6).for_each(|number| handler_begins(stack(0x5000 - number * 0x100)));
        handler_ends(0x1);
        assert_eq!(depth(), 6);
        handler_begins(stack(0x4f00));
        assert_eq!(depth(), 3);
        jump_out_of_handlers(0x9000);
        assert_eq!((depth(), state().1), (0, false));
    }
}
