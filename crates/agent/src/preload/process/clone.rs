//! Making processes by clone(2).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::arch::clone::clone_started;
use crate::preload::arch::stub::stub;
use crate::preload::execute::place::makes_with;
use crate::preload::process::clone_start::CloneStart;
use crate::preload::process::fork::{before_copy, made, placeholder};
use crate::preload::wrapper::real::real;

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
    makes_with(flags);
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
