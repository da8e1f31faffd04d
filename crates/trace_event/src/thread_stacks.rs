//! Stacks of our own, for threads of Go: their functions run on stacks of goroutines, which are too small for
//! us, and move.
//!
//! Each slot of the table of threads has one, which is that of the thread whose key is there. The address of
//! its end is in a word of the thread's ([`GoThreadWords::STACK`]), and there the stack pointer of who is on
//! it: 0 where nobody is. A handler of a signal that comes meanwhile finds it in use: what it does isn't
//! recorded, but counted.
//!
//! ```text
//! | stack 1 ...  | in use by | stack 2 ...  | in use by | ...
//!                ^ stack pointer, when one begins to use it
//! ```
//!
//! # Safety
//!
//! The words are the thread's own. Nobody looks for a stack but who has found no address there, and has said
//! so by [`GoThreadWords::BUSY`].

use crate::current;
use crate::thread_table::{BLOCKS, BUCKET_BITS, SPREADING, find_key};
use abi::go_thread::GoThreadWords;
use core::arch::naked_asm;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use rustix::mm::{MapFlags, ProtFlags};

/// Bytes of each, with the word at its end. What the agent uses is less than a quarter of it; pages of what
/// nobody uses are never there.
const STACK: usize = 16 << 10;

/// Bytes at a stack's end: the word, and what keeps the stack aligned.
const END: usize = 16;

/// Where the first one begins; 0 as long as there are none.
static AREA: AtomicU64 = AtomicU64::new(0);

/// Events that were not recorded, as their thread's stack was in use, or it has none.
pub static MISSED_ON_STACKS: AtomicU64 = AtomicU64::new(0);

/// Maps them, unless they are. Whether they are there.
// Relaxed: one turn at a time, and before any function is made to look for one.
pub fn make_thread_stacks() -> bool {
    if AREA.load(Relaxed) != 0 {
        return true;
    }
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let kind = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a new mapping, where the kernel likes.
    let area = unsafe { rustix::mm::mmap_anonymous(core::ptr::null_mut(), BLOCKS * STACK, access, kind) };
    if let Ok(area) = area {
        AREA.store(area.expose_provenance() as u64, Relaxed);
    }
    area.is_ok()
}

/// Counts what was missed since somebody was here.
#[inline]
pub fn count_missed_on_stacks() {
    if MISSED_ON_STACKS.load(Relaxed) != 0
        && let Some(shared) = current::shared()
    {
        let missed = MISSED_ON_STACKS.swap(0, Relaxed);
        (0..missed.min(MOST_COUNTED)).for_each(|_| shared.writer().count_unidentified());
    }
}

/// So many are counted at a time.
const MOST_COUNTED: u64 = 1 << 16;

/// Finds the calling thread's stack: the address of its end is in r13 afterwards, and in the thread's word; 0
/// where it has none. It uses no stack, goes on at the address in r13, and changes no other register but
/// flags.
///
/// # Safety
///
/// Nobody calls it: whoever jumps here has found none in the thread's word, and has an address of its own in
/// r13.
#[unsafe(naked)]
pub unsafe extern "C" fn find_thread_stack() {
    naked_asm!(
        "mov qword ptr fs:[{STACK_WORD}], {BUSY}",
        "mov fs:[{FIRST}], rax",
        "mov fs:[{SECOND}], rcx",
        "mov fs:[{THIRD}], rdx",
        // Thread-local words are found by the thread pointer in memory.
        "rdfsbase rcx",
        "mov fs:[{POINTER_WORD}], rcx",
        find_key!("xor ecx, ecx\njmp 8f\n"),
        "lea rax, [rip + lookback_thread_keys]",
        "sub rdx, rax",
        // From a key of eight bytes to the end of a stack.
        "imul rcx, rdx, {STACK} / 8",
        "mov rax, [rip + {area}]",
        "test rax, rax",
        "cmovz rcx, rax",
        "jz 8f",
        "lea rcx, [rcx + rax + {STACK} - {END}]",
        "8:",
        "mov rax, r13",
        "mov r13, rcx",
        "mov rcx, fs:[{SECOND}]",
        "mov rdx, fs:[{THIRD}]",
        "xchg rax, fs:[{FIRST}]",
        // A handler that comes from here on finds the stack; or none, and goes on at the same address.
        "mov fs:[{STACK_WORD}], r13",
        "jmp fs:[{FIRST}]",
        SPREADING = const SPREADING,
        TO_BUCKET = const u64::BITS - BUCKET_BITS,
        STACK_WORD = const GoThreadWords::STACK,
        POINTER_WORD = const GoThreadWords::POINTER,
        FIRST = const GoThreadWords::KEPT[0],
        SECOND = const GoThreadWords::KEPT[1],
        THIRD = const GoThreadWords::KEPT[2],
        BUSY = const GoThreadWords::BUSY,
        STACK = const STACK,
        END = const END,
        area = sym AREA,
    )
}
