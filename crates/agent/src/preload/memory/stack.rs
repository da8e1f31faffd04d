//! Where the calling thread's stack is.
//!
//! A thread that libc has made has that in its descriptor, which lies at the stack's end. Where in the
//! descriptor is not published, so it is looked for: three words that say where the block with the
//! descriptor starts, how large it is, and how large the guard at its start. The first thread has the stack
//! that the kernel has made.
//!
//! # Safety
//!
//! The descriptor is where the thread pointer points, and as large as glibc says to debuggers.

use crate::preload::arch::thread_pointer::thread_pointer;
use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, symbols};
use core::ops::Range;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use rustix::process::{Resource, getrlimit};
use shm::PAGE;
use trace_event::{OwnStack, session, tid_of_libc};

/// The most bytes below the first thread's stack in which nothing else is mapped, unless the program asks for
/// that address: the kernel leaves as much free as the stack may grow to, and this where that has no limit.
const MOST: u64 = 128 << 20;

/// The stack of the calling thread. None where that isn't known.
///
/// Async-signal-safe, no system call. Cost: reading the descriptor, some 300 words.
pub(crate) fn of_thread() -> Option<OwnStack> {
    #[cfg(feature = "static_program")]
    if crate::preload::object::static_program::is_of_go() {
        return None;
    }
    let of_first = || of_first_thread().map(|range| OwnStack { range, is_sure: true });
    // musl says nothing of where a stack lies that the program has brought.
    let may_be_first = || borrowed::is_glibc() || is_first_thread();
    of_block().or_else(|| of_first().filter(|_| may_be_first()))
}

/// The stack of a thread that libc has made: it ends where the descriptor is. One with a guard libc has
/// mapped; another may be the program's own memory.
fn of_block() -> Option<OwnStack> {
    if !borrowed::is_glibc() {
        return of_thread_of_musl();
    }
    let descriptor = thread_pointer();
    let words = size_of_descriptor()? / size_of::<usize>();
    (0..words.saturating_sub(2)).find_map(|index| {
        let word = |index| word_of_descriptor(descriptor, index);
        let block = ThreadBlock { start: word(index), size: word(index + 1), guard: word(index + 2) };
        let range = block.start + block.guard..descriptor;
        block.holds(descriptor, words).then_some(OwnStack { range, is_sure: block.guard > 0 })
    })
}

/// The stack of a thread that musl has made. Its descriptor has five words for that: where the block with the
/// descriptor starts, and its size; where the stack ends, its size, and that of the guard at its start. In
/// the first thread's they are zero.
fn of_thread_of_musl() -> Option<OwnStack> {
    /// Words of the descriptor that are looked at: it has more in all versions, and has those among them.
    const WORDS: usize = 22;
    let descriptor = thread_pointer();
    (0..WORDS - 4).find_map(|index| {
        let [start, size, end, stack, guard] = [0, 1, 2, 3, 4].map(|word| {
            // An index below that of the last one.
            word_of_descriptor(descriptor, index + word)
        });
        // One that the program has brought may have the descriptor in it, or in a block of its own.
        let is_in_block = start != 0 && start < descriptor && descriptor - start < size;
        let is_whole = start.checked_add(guard)?.checked_add(stack)? == end && guard.is_multiple_of(PAGE);
        let is_own = guard == 0 && (is_in_block || start == 0 && size == 0 && end <= descriptor);
        let range = end.checked_sub(stack)?..end;
        let is_stack = stack != 0 && range.start != 0 && end.is_multiple_of(16);
        (is_stack && (is_in_block && is_whole || is_own)).then_some(OwnStack { range, is_sure: guard > 0 })
    })
}

/// A word of a thread's descriptor.
fn word_of_descriptor(descriptor: usize, index: usize) -> usize {
    let address = core::ptr::with_exposed_provenance::<usize>(descriptor).wrapping_add(index);
    // SAFETY: within the descriptor, by the callers.
    unsafe { address.read_volatile() }
}

/// Three words that may be what libc has noted of a stack.
#[derive(Debug, Clone, Copy)]
struct ThreadBlock {
    start: usize,
    size: usize,
    guard: usize,
}

impl ThreadBlock {
    /// Whether a descriptor of so many words lies at the end of this.
    fn holds(self, descriptor: usize, words: usize) -> bool {
        // Thread-local variables lie before the descriptor; after it only what aligns it.
        let Some(end) = self.start.checked_add(self.size) else { return false };
        let distance = end.wrapping_sub(descriptor);
        let is_after =
            (words * size_of::<usize>()..words * size_of::<usize>() + 2 * PAGE).contains(&distance);
        self.start != 0
            && self.start < descriptor
            && is_after
            && self.guard < self.size
            && self.guard.is_multiple_of(PAGE)
    }
}

/// Bytes of libc's descriptor of a thread, as it says to debuggers.
fn size_of_descriptor() -> Option<usize> {
    /// The least that it has been since 2005.
    const LEAST: usize = 2304;
    if cfg!(feature = "static_program") {
        return Some(LEAST);
    }
    static SIZE: AtomicUsize = AtomicUsize::new(0);
    if SIZE.load(Relaxed) == 0 {
        const NAME: SymbolName<'_> = SymbolName::new(b"_thread_db_sizeof_pthread\0");
        let address = symbols::find_object(NAME)?;
        // SAFETY: libc's variable, of 4 bytes.
        SIZE.store(unsafe { (address as *const u32).read_volatile() } as usize, Relaxed);
    }
    Some(SIZE.load(Relaxed))
}

/// Where the first thread's stack ends, and how far it may reach; 0 where that isn't known.
static END: AtomicUsize = AtomicUsize::new(0);
static REACH: AtomicUsize = AtomicUsize::new(0);

/// Asks where the first thread's stack is, and how large it may become: as the process starts, because the
/// kernel has laid it out by that, because a filter may forbid the question later, and because libc's
/// functions may be traced later. Libc asks the same when it starts, if it has threads.
pub(crate) fn ask_limit() {
    END.store(end_of_first_stack(), Relaxed);
    REACH.store(getrlimit(Resource::Stack).current.unwrap_or(MOST).min(MOST) as usize, Relaxed);
}

/// The stack that the kernel has made: it ends with the path that was executed.
pub(crate) fn of_first_thread() -> Option<Range<usize>> {
    let (reach, end) = (REACH.load(Relaxed), END.load(Relaxed));
    (end != 0 && reach != 0).then(|| end.saturating_sub(reach)..end)
}

/// Where the stack that the kernel has made ends; 0 where that isn't known.
fn end_of_first_stack() -> usize {
    borrowed::auxiliary(libc::AT_EXECFN) as usize
}

/// Whether the calling thread is the first of the process that has attached.
fn is_first_thread() -> bool {
    session().is_some_and(|session| session.pid() == tid_of_libc())
}

/// Whether the calling thread is on the stack that the kernel has made, as it starts: the first thread is.
pub(crate) fn is_of_first_thread() -> bool {
    /// What lies above it then: arguments and the environment.
    const LARGEST_START: usize = 8 << 20;
    let here = 0_u8;
    let end = end_of_first_stack();
    (end.saturating_sub(LARGEST_START)..end).contains(&(&raw const here).addr())
}
