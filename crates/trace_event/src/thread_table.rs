//! The words of threads in a static program: a table of the object's own.
//!
//! A thread is known by its thread pointer, which is its key. A key has its place in one of eight slots,
//! which one multiplication finds; the block of that number has the thread's words. The first look of a
//! thread takes a slot, by a compare-exchange, and nothing is allocated. A thread that finds none has the
//! block of nobody: it isn't recorded, and its events are counted.
//!
//! ```text
//! keys    | bucket 0: 8 keys | bucket 1 | ...       0: free
//! blocks  | 512 bytes | 512 bytes | ...             all zero while their slot is free
//! ```
//!
//! The block of a thread that has ended without saying so is still there for the next one that the C library
//! gives the same descriptor: the TID in it is another's then, see `thread.rs`.
//!
//! # Safety
//!
//! A block is that of the thread whose pointer is the key, as long as that runs. Only that thread takes the
//! key away. `fs:[0]` is the thread pointer, as the ABI has it.

use abi::control::FIRST_PLACEHOLDER;
use core::arch::{asm, global_asm, naked_asm};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Release;

/// How many bits of the product say which bucket it is.
pub(crate) const BUCKET_BITS: u32 = 11;

/// Slots of a bucket: as many keys as a line of the cache has.
const SLOTS: usize = 8;

/// How many threads have a block.
pub(crate) const BLOCKS: usize = SLOTS << BUCKET_BITS;

/// Bytes of a block. The object's thread-local words fit in: whoever loads it looks.
const BLOCK: usize = abi::static_program::BLOCK;

/// Keys that are multiples of whatever distance stacks have are spread by it (Knuth 6.4).
pub(crate) const SPREADING: u64 = 0x9e37_79b9_7f4a_7c15;

global_asm!(
    ".pushsection .bss.lookback_threads, \"aw\", @nobits",
    ".balign 64",
    ".hidden lookback_thread_keys",
    ".globl lookback_thread_keys",
    "lookback_thread_keys: .zero {KEYS}",
    ".hidden lookback_thread_blocks",
    ".globl lookback_thread_blocks",
    "lookback_thread_blocks: .zero {BYTES}",
    // After the last block: that of nobody.
    ".zero {BLOCK}",
    ".popsection",
    KEYS = const size_of::<usize>() * BLOCKS,
    BYTES = const BLOCK * BLOCKS,
    BLOCK = const BLOCK,
);

/// Instructions from a thread's pointer in rcx to the address of its key in rdx, for which they use rax.
/// Where there is no slot they do what `$none` says.
macro_rules! find_key {
    ($none:literal) => {
        concat!(
            "movabs rdx, {SPREADING}
            imul rdx, rcx
            shr rdx, {TO_BUCKET}
            shl rdx, 6
            lea rax, [rip + lookback_thread_keys]
            add rdx, rax
            2:
            cmp [rdx], rcx
            je 5f
            add rdx, 8
            test dl, 63
            jnz 2b
            sub rdx, 64
            3:
            xor eax, eax
            lock cmpxchg [rdx], rcx
            je 5f
            cmp rax, rcx
            je 5f
            add rdx, 8
            test dl, 63
            jnz 3b\n",
            $none,
            "5:\n"
        )
    };
}

pub(crate) use find_key;

/// Puts the address of the calling thread's block where the caller has pushed a word. All registers but the
/// flags stay as they are: the code that asks may save no others.
#[unsafe(export_name = "lookback_thread_block")]
#[unsafe(naked)]
unsafe extern "C" fn thread_block() {
    naked_asm!(
        "push rax",
        "push rcx",
        "push rdx",
        "mov rcx, fs:[0]",
        // Whether it has a slot; else the first that is free. A handler of a signal may have taken one
        // meanwhile.
        find_key!("lea rdx, [rip + lookback_thread_blocks + {NOBODY}]\njmp 6f\n"),
        // From a key of 8 bytes to a block.
        "lea rax, [rip + lookback_thread_keys]",
        "sub rdx, rax",
        "imul rdx, rdx, {BLOCK} / 8",
        "lea rax, [rip + lookback_thread_blocks]",
        "add rdx, rax",
        "6:",
        "mov [rsp + 32], rdx",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "ret",
        SPREADING = const SPREADING,
        TO_BUCKET = const u64::BITS - BUCKET_BITS,
        BLOCK = const BLOCK,
        NOBODY = const BLOCK * BLOCKS,
    )
}

/// The calling thread's block.
fn own_block() -> *mut u8 {
    let block;
    // SAFETY: it gives an address in the table; one word of the stack.
    unsafe { asm!("push rax", "call lookback_thread_block", "pop {}", out(reg) block) };
    block
}

/// The first of the blocks and the one of nobody, and the first key.
fn table() -> (*mut u8, *mut u8, *const AtomicUsize) {
    let (blocks, keys): (*mut u8, *const AtomicUsize);
    // SAFETY: computes addresses.
    unsafe {
        asm!(
            "lea {}, [rip + lookback_thread_blocks]",
            "lea {}, [rip + lookback_thread_keys]",
            out(reg) blocks,
            out(reg) keys,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (blocks, blocks.wrapping_add(BLOCK * BLOCKS), keys)
}

/// Has whoever finds no slot be nobody: before any thread records.
///
/// Nobody's words look as if they were set aside for a child of which nothing is known. So nothing is
/// recorded by them, but counted. `aside` is the calling thread's word that says so.
pub(crate) fn prepare(aside: *mut u64) {
    let (_, nobody, _) = table();
    let own = own_block();
    if own != nobody {
        let word = nobody.wrapping_add(aside.addr() - own.addr()).cast::<u64>();
        // SAFETY: the word of nobody, within the block as it is in each.
        unsafe { word.write_volatile(FIRST_PLACEHOLDER.into()) };
    }
}

/// Has the calling thread's words be all zero, as they are when a thread starts.
pub(crate) fn clear_own() {
    let (_, nobody, _) = table();
    let own = own_block();
    if own != nobody {
        // SAFETY: the thread's own block.
        unsafe { own.write_bytes(0, BLOCK) };
    }
}

/// Gives the calling thread's slot back: it ends.
// Release: who takes the slot finds its block all zero.
pub(crate) fn give_back() {
    let (blocks, nobody, keys) = table();
    let own = own_block();
    clear_own();
    if own != nobody {
        let index = (own.addr() - blocks.addr()) / BLOCK;
        // SAFETY: a block has the key of its number.
        unsafe { &*keys.wrapping_add(index) }.store(0, Release);
    }
}
