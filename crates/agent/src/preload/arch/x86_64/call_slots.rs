//! The code of call slots, see [`crate::preload::function::graph`].
//!
//! Before and after, for a function that was called with its return address R at P, and has got a slot with
//! its code at S and its words `body`, `caller`:
//!
//! ```text
//! before     P: R            rsp = P       at the function's site
//! entered    P: S+6          rsp = P+8     at S         body = after the site, caller = R
//! S          call [body]     rsp = P       in the function: its arguments and its stack are where they were
//! S+6        lea rsp, -8     rsp = P       the function has returned
//! S+11       push rcx        rsp = P-8
//! S+12       lea rcx, words  jmp returned  which stores R at P again, and returns
//! ```
//!
//! S is entered by a return, see `function_entry.rs`: calls and returns stay paired. The word at P is S+6 for
//! as long as the function is there.
//!
//! Unwinders find the caller in the slot's words: the distance to them is in the first instruction. The
//! canonical frame address is one more than it would be: a slot's frame and its caller's must not have the
//! same one, by which libgcc knows frames.
//!
//! # Safety
//!
//! A function that runs in a slot has it until it has returned, see `graph`.

use super::saved_registers::{begin_frame, call_quick, call_saved, pop_registers, push_registers};
use crate::preload::function::graph::{CallSlot, ReturnStep, SLOTS, returned};
use crate::preload::function::quick;
use ::call_slots::SlotState;
use core::arch::{global_asm, naked_asm};
use core::mem::offset_of;

/// Bytes of a slot's code.
const CODE: usize = 32;

/// Where in it the function returns to.
const RETURN: usize = 6;

global_asm!(
    ".pushsection .text.lookback_call_slots, \"ax\", @progbits",
    ".balign 64",
    ".hidden lookback_call_slots_code",
    ".globl lookback_call_slots_code",
    ".type lookback_call_slots_code, @function",
    "lookback_call_slots_code:",
    ".cfi_startproc",
    // CFA = rsp + 1, and 8 more after either of the instructions that lower rsp: breg7 1; breg16 0, 31, and,
    // 11, ge, 3, shl; breg16 0, 31, and, 12, ge, 3, shl; plus; plus. (Valgrind knows no dup.)
    ".cfi_escape 0x0f, 0x16, 0x77, 0x01",
    ".cfi_escape 0x80, 0x00, 0x08, 0x1f, 0x1a, 0x3b, 0x2a, 0x33, 0x24",
    ".cfi_escape 0x80, 0x00, 0x08, 0x1f, 0x1a, 0x3c, 0x2a, 0x33, 0x24, 0x22, 0x22",
    // rsp = CFA - 1.
    ".cfi_escape 0x16, 0x07, 0x02, 0x31, 0x1c",
    // Return address at S + 6 + the displacement at S + 2 + 8: breg16 0, -32, and; breg16 0, -32, and,
    // plus 2, deref, the lower half; plus; plus 14.
    ".cfi_escape 0x10, 0x10, 0x16, 0x80, 0x00, 0x09, 0xe0, 0x1a",
    ".cfi_escape 0x80, 0x00, 0x09, 0xe0, 0x1a, 0x23, 0x02, 0x06, 0x0c, 0xff, 0xff, 0xff, 0xff, 0x1a",
    ".cfi_escape 0x22, 0x23, 0x0e",
    ".set lookback_slot, 0",
    ".rept {SLOTS}",
    "call qword ptr [rip + lookback_call_slots + lookback_slot * {WORDS}]",
    "lea rsp, [rsp - 8]",
    "push rcx",
    "lea rcx, [rip + lookback_call_slots + lookback_slot * {WORDS}]",
    "jmp {returning}",
    ".balign {CODE}, 0xcc",
    ".set lookback_slot, lookback_slot + 1",
    ".endr",
    ".cfi_endproc",
    ".size lookback_call_slots_code, . - lookback_call_slots_code",
    ".popsection",
    // All of them, see `resting.rs`.
    ".pushsection lookback_resting, \"aR\", @progbits",
    ".long lookback_call_slots_code - .",
    ".long {SLOTS} * {CODE}",
    ".long 0",
    ".popsection",
    ".pushsection .bss.lookback_large_call_slots, \"aw\", @nobits",
    ".balign {WORDS}",
    ".hidden lookback_call_slots",
    ".globl lookback_call_slots",
    ".type lookback_call_slots, @object",
    "lookback_call_slots: .zero {WORDS} * {SLOTS}",
    ".size lookback_call_slots, {WORDS} * {SLOTS}",
    ".popsection",
    SLOTS = const SLOTS,
    WORDS = const size_of::<CallSlot>(),
    CODE = const CODE,
    returning = sym returning,
);

const _: () = assert!(offset_of!(CallSlot, state) == 0);
const _: () = assert!(offset_of!(SlotState, body) == 0 && offset_of!(SlotState, caller) == 8);

unsafe extern "C" {
    #[link_name = "lookback_call_slots_code"]
    safe static SLOTS_CODE: [[u8; CODE]; SLOTS];
    #[link_name = "lookback_call_slots"]
    safe static SLOTS_WORDS: [CallSlot; SLOTS];
}

/// The words of all slots.
pub(crate) const fn slots() -> &'static [CallSlot; SLOTS] {
    &SLOTS_WORDS
}

/// Which one a slot is.
pub(crate) fn index_of(slot: &CallSlot) -> usize {
    ((&raw const *slot).addr() - (&raw const SLOTS_WORDS).addr()) / size_of::<CallSlot>()
}

/// Where the code of a slot is.
pub(crate) fn code_of(slot: &CallSlot) -> u64 {
    ((&raw const SLOTS_CODE).addr() + index_of(slot) * CODE) as u64
}

/// Where a function returns to that runs in a slot.
pub(crate) fn return_to(slot: &CallSlot) -> u64 {
    code_of(slot) + RETURN as u64
}

/// The slot that a function runs in which returns to this address, if it is one's.
pub(crate) fn slot_of(return_address: u64) -> Option<&'static CallSlot> {
    let start = (&raw const SLOTS_CODE).addr() as u64;
    let offset = return_address.wrapping_sub(start);
    if offset >= (SLOTS * CODE) as u64 {
        return None;
    }
    SLOTS_WORDS.get(offset as usize / CODE)
}

/// What a slot jumps to when its function has returned: with the slot's words in rcx, and on the stack what
/// was there, below the place of the return address.
#[unsafe(naked)]
unsafe extern "C" fn returning() {
    naked_asm!(
        ".cfi_startproc",
        // As if the slot had called: what it returns to is its own code, until its caller stands there again.
        ".cfi_def_cfa_offset 16",
        begin_frame!(),
        push_registers!(rax rdx rsi rdi r8 r9 r10 r11),
        "push rcx",
        "mov rdi, rcx",
        "lea rsi, [rbp - 16]",
        call_quick!(),
        "cmp rax, {all}",
        "je 5f",
        "mov rdi, [rbp - 72]",
        "lea rsi, [rbp - 16]",
        "mov rdx, rax",
        call_saved!(),
        "5:",
        "lea rsp, [rbp - 64]",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rax rbp),
        ".cfi_def_cfa rsp, 16",
        ".cfi_restore rbp",
        "pop rcx",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        quick = sym quick::returned,
        all = const ReturnStep::GivenBack as u64,
        record = sym returned,
    )
}

/// Replaces a word that no other thread changes, if it is as expected: by one instruction, which a handler of
/// a signal comes before or after.
///
/// # Safety
///
/// The address is valid and aligned.
#[inline(always)]
pub(crate) unsafe fn compare_exchange_own(address: *mut u64, expected: u64, new: u64) -> bool {
    let is_replaced: u8;
    // SAFETY: the caller answers for the address.
    unsafe {
        core::arch::asm!(
            "cmpxchg [{address}], {new}",
            "sete {is_replaced}",
            address = in(reg) address,
            new = in(reg) new,
            is_replaced = lateout(reg_byte) is_replaced,
            inout("rax") expected => _,
            options(nostack),
        );
    }
    is_replaced != 0
}
