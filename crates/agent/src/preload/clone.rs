//! Making processes by clone(2).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::fork::{before_copy, in_copy, made, placeholder};
use crate::preload::real::real;
use crate::preload::stub::stub;
use core::arch::naked_asm;
use core::mem::offset_of;

type Clone = unsafe extern "C" fn(usize, usize, i32, usize, usize, usize, usize) -> i32;

/// clone(2), as libc's function. A child that shares the caller's memory and its thread-local words must not
/// be taken for the caller. If it has the caller wait, the words are taken back; else they stay aside, and
/// the caller writes to lanes from here on.
unsafe extern "C" fn clone_body(
    start: usize,
    stack: usize,
    flags: i32,
    argument: usize,
    parent_tid: usize,
    tls: usize,
    child_tid: usize,
    _caller: usize,
) -> i32 {
    let shares_memory = flags & libc::CLONE_VM != 0;
    let shares_words = shares_memory && flags & libc::CLONE_SETTLS == 0;
    let waits = flags & libc::CLONE_VFORK != 0;
    let before = shares_words.then(trace_event::set_aside);
    let placeholder = match shares_words {
        true => trace_event::placeholder_aside(),
        false if shares_memory => 0,
        false => {
            before_copy();
            placeholder()
        }
    };
    // A child with memory of its own has its copy of this, and one that is waited for uses this.
    let own = CloneStart { start, argument, placeholder, shares_memory };
    let has_start = start != 0 && (!shares_memory || shares_words && waits);
    let (start, argument) = match has_start {
        true => (clone_started as *const () as usize, (&raw const own) as usize),
        false => (start, argument),
    };
    // SAFETY: the function has this type.
    let real: Clone = unsafe { core::mem::transmute(real!(c"clone")) };
    // SAFETY: the program's own call.
    let child = unsafe { real(start, stack, flags, argument, parent_tid, tls, child_tid) };
    if let Some(before) = before
        && (child < 0 || waits)
    {
        trace_event::take_back(before);
    }
    made(placeholder, child);
    child
}

stub!(clone, clone_body, start stack flags argument parent_tid tls child_tid);

/// What the child of a clone(2) is to run.
#[repr(C)]
struct CloneStart {
    start: usize,
    argument: usize,
    placeholder: u32,
    shares_memory: bool,
}

/// In a child of clone(2), before anything else. It has its parent's words, and libc doesn't tell it who it
/// is.
unsafe extern "C" fn begin_clone(own: &CloneStart) {
    match own.shares_memory {
        true => trace_event::child_in_memory(true),
        false => in_copy(own.placeholder),
    }
}

/// The first function of such a child.
#[unsafe(naked)]
unsafe extern "C" fn clone_started(_start: &CloneStart) -> i32 {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "call {begin}",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "mov rax, [rdi + {START}]",
        "mov rdi, [rdi + {ARGUMENT}]",
        "jmp rax",
        ".cfi_endproc",
        begin = sym begin_clone,
        START = const offset_of!(CloneStart, start),
        ARGUMENT = const offset_of!(CloneStart, argument),
    )
}
