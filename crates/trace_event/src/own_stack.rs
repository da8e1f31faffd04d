//! What of the calling thread's own stack can be read: the stack that libc or the kernel has made for it.
//!
//! That is not all between the stack pointer and the stack's end. A program may carve stacks for coroutines
//! out of it, and have pages between them that can't be read. So each page is read only once the kernel has
//! said that it is there; that holds for as long as the thread lives, or until the program changes what can
//! be read anywhere, which our wrappers tell us. Where the kernel may not be asked, a stack that libc has
//! made is known to be there, but for what lies below a change.
//!
//! Stacks elsewhere come and go without us: of those nothing is remembered.
//!
//! # Safety
//!
//! The words are the thread's own. A handler of signals that comes in between finds what is known before or
//! after a change, because that is 16 bytes which are written by one instruction.

use crate::arch;
use crate::attachment::OwnStack;
use crate::current;
use crate::shared::SharedSession;
use crate::thread_words;
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Release};
use shm::PAGE;

/// What a thread knows of its stack. All zero as long as nobody has asked.
#[repr(C, align(16))]
struct StackWords {
    /// What can be read: the first page in the lower 36 bits, how many in the others; and the value of
    /// `CHANGES` for which that is so.
    known: [u64; 2],
    /// Where the stack starts and ends; equal where nobody knows. They stay what they are for the thread's
    /// life, also if that goes on in another process.
    start: usize,
    end: usize,
    /// From where on it is sure to be there, as far as the thread itself has changed it.
    sure: usize,
}

thread_words!(fn words() -> *mut StackWords, "lookback_thread_stack");

/// How often the program has taken memory away from somewhere.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Says that the program is about to make a part of its memory unreadable, or has done so: both times.
///
/// Async-signal-safe, no system call.
pub fn memory_changes(range: Range<usize>) {
    CHANGES.fetch_add(1, Release);
    let Some(shared) = current::shared() else { return };
    let stack = find(shared);
    if range.start < stack.end && range.end > stack.start {
        let words = words();
        // SAFETY: the words are the thread's own.
        unsafe {
            let sure = (&raw const (*words).sure).read_volatile().max(range.end);
            (&raw mut (*words).sure).write_volatile(sure);
        }
    }
}

/// Pages that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownStack {
    start: usize,
    end: usize,
}

impl KnownStack {
    const PAGE_BITS: u32 = 36;

    const NOTHING: KnownStack = KnownStack { start: 0, end: 0 };

    /// What is known after so many changes.
    fn load(changes: u64) -> KnownStack {
        // SAFETY: the thread's own words, aligned.
        let [pages, at] = unsafe { arch::load_pair(&raw const (*words()).known) };
        let start = (pages & ((1 << KnownStack::PAGE_BITS) - 1)) as usize * PAGE;
        match at == changes {
            true => KnownStack { start, end: start + (pages >> KnownStack::PAGE_BITS) as usize * PAGE },
            false => KnownStack::NOTHING,
        }
    }

    fn store(self, changes: u64) {
        let count = ((self.end - self.start) / PAGE) as u64;
        let pages = (self.start / PAGE) as u64 | count << KnownStack::PAGE_BITS;
        // SAFETY: the thread's own words, aligned.
        unsafe { arch::store_pair(&raw mut (*words()).known, [pages, changes]) };
    }

    fn contains(self, address: usize) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// With other pages that can be read: of two parts that don't touch the other one alone.
    fn with(self, other: KnownStack) -> KnownStack {
        if self.start <= other.end && other.start <= self.end {
            KnownStack { start: self.start.min(other.start), end: self.end.max(other.end) }
        } else {
            other
        }
    }
}

/// Up to where the calling thread's own stack can be read from an address in it on, at most up to `wanted`;
/// the address itself where that isn't known. None for an address that is not in its part in use, and if
/// the thread is on another stack.
///
/// Async-signal-safe. Cost: a few loads, and 100 ns for each page that nobody has asked for since memory has
/// changed.
#[inline]
pub fn reach_in_stack(address: usize, wanted: usize) -> Option<usize> {
    let here = 0_u8;
    let shared = current::shared()?;
    let stack = find(shared);
    let here = (&raw const here).addr();
    let is_in_use = stack.contains(&here) && (here..stack.end).contains(&address);
    is_in_use.then(|| reach(shared, &stack, address, wanted.min(stack.end)))
}

/// Whether the calling thread is on the stack that libc or the kernel has made for it.
#[inline]
pub(crate) fn is_on_own_stack() -> bool {
    let here = 0_u8;
    current::shared().is_some_and(|shared| find(shared).contains(&(&raw const here).addr()))
}

/// Whether it is known already that it is. Nothing is called to find it out.
#[inline(always)]
pub(crate) fn is_known_on_own_stack() -> bool {
    let here = 0_u8;
    known_stack().contains(&(&raw const here).addr())
}

#[inline]
fn reach(shared: &SharedSession, stack: &Range<usize>, address: usize, wanted: usize) -> usize {
    let changes = CHANGES.load(Acquire);
    let known = KnownStack::load(changes);
    if known.contains(address) && wanted <= known.end {
        return wanted;
    }
    match (shared.hooks.may_ask)() {
        true => ask(shared, known, changes, address, wanted),
        false if address >= sure(stack) => wanted,
        false => address,
    }
}

/// Asks for the pages from an address on, up to `wanted`, and remembers what is there.
#[cold]
fn ask(shared: &SharedSession, known: KnownStack, changes: u64, address: usize, wanted: usize) -> usize {
    let start = address & !(PAGE - 1);
    let mut reached = start;
    while reached < wanted && (known.contains(reached) || (shared.hooks.is_there)(reached.max(address))) {
        reached += PAGE;
    }
    if reached > start {
        known.with(KnownStack { start, end: reached }).store(changes);
    }
    reached.min(wanted).max(address)
}

/// From where on the stack is sure to be there, without asking.
fn sure(stack: &Range<usize>) -> usize {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw const (*words()).sure).read_volatile() }.max(stack.start)
}

/// What [`find`] has found before; it ends at 0 where nobody has asked yet.
#[inline(always)]
fn known_stack() -> Range<usize> {
    let words = words();
    // SAFETY: the words are the thread's own.
    unsafe { (&raw const (*words).start).read_volatile()..(&raw const (*words).end).read_volatile() }
}

/// The stack that libc or the kernel has made for the calling thread, found out once. Empty where nobody
/// knows.
fn find(shared: &SharedSession) -> Range<usize> {
    let known = known_stack();
    if known.end != 0 {
        return known;
    }
    let words = words();
    let found = (shared.hooks.stack)();
    let OwnStack { range, is_sure } = found.unwrap_or(OwnStack { range: 1..1, is_sure: false });
    // The end last: a handler that comes in between asks itself.
    // SAFETY: the words are the thread's own.
    unsafe {
        (&raw mut (*words).start).write_volatile(range.start);
        (&raw mut (*words).sure).write_volatile(if is_sure { range.start } else { range.end });
        (&raw mut (*words).end).write_volatile(range.end);
    }
    range
}
