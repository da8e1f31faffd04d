//! Calls after which memory can't be read that could be: stacks may be carved out of a thread's own.
//!
//! Each is reported before, so that nothing is believed that may end any moment, and after, because another
//! thread may have found the memory there in between.
//!
//! # Safety
//!
//! As in `limits.rs`. Nothing is read or written here.

use crate::preload::arch::stub::stub;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::mem::transmute;
use core::ops::Range;
use libc::{MAP_FIXED, MREMAP_FIXED, PROT_READ, PROT_WRITE, SHM_REMAP};
use shm::PAGE;
use trace_event::memory_changes;

/// Advice to make pages guard others, see madvise(2).
const MADV_GUARD_INSTALL: u64 = 102;

/// mmap(2).
pub(crate) const MMAP: CallHooks = CallHooks { before: mapping, after: mapping };
/// munmap(2).
pub(crate) const MUNMAP: CallHooks = CallHooks { before: unmapping, after: unmapping };
/// mremap(2).
pub(crate) const MREMAP: CallHooks = CallHooks { before: moving, after: moving };
/// mprotect(2).
pub(crate) const MPROTECT: CallHooks = CallHooks { before: protecting, after: protecting };
/// madvise(2).
pub(crate) const MADVISE: CallHooks = CallHooks { before: advising, after: advising };
/// shmat(2).
pub(crate) const SHMAT: CallHooks = CallHooks { before: attaching, after: attaching };
/// shmdt(2).
pub(crate) const SHMDT: CallHooks = CallHooks { before: detaching, after: detaching };

unsafe fn mapping(frame: &mut CallFrame) {
    let [start, len, _, flags, ..] = frame.arguments;
    mapped(start, len, flags);
}

unsafe fn unmapping(frame: &mut CallFrame) {
    let [start, len, ..] = frame.arguments;
    memory_changes(range(start, len));
}

unsafe fn moving(frame: &mut CallFrame) {
    let [old, old_len, len, flags, new, ..] = frame.arguments;
    moved([old, old_len, len, flags, new]);
}

unsafe fn protecting(frame: &mut CallFrame) {
    let [start, len, protection, ..] = frame.arguments;
    protected(start, len, protection);
}

unsafe fn advising(frame: &mut CallFrame) {
    let [start, len, advice, ..] = frame.arguments;
    advised(start, len, advice);
}

unsafe fn attaching(frame: &mut CallFrame) {
    let [_, start, flags, ..] = frame.arguments;
    if flags as i32 & SHM_REMAP != 0 {
        memory_changes(from(start));
    }
}

unsafe fn detaching(frame: &mut CallFrame) {
    let [start, ..] = frame.arguments;
    memory_changes(from(start));
}

fn mapped(start: u64, len: u64, flags: u64) {
    if flags as i32 & MAP_FIXED != 0 {
        memory_changes(range(start, len));
    }
}

fn moved([old, old_len, len, flags, new]: [u64; 5]) {
    memory_changes(range(old, old_len));
    if flags as i32 & MREMAP_FIXED != 0 {
        memory_changes(range(new, len));
    }
}

fn protected(start: u64, len: u64, protection: u64) {
    if protection as i32 & (PROT_READ | PROT_WRITE) == 0 {
        memory_changes(range(start, len));
    }
}

fn advised(start: u64, len: u64, advice: u64) {
    if advice == MADV_GUARD_INSTALL {
        memory_changes(range(start, len));
    }
}

/// Says so of a system call that the program makes by its number, if it is such a one.
pub(crate) fn by_number(number: i64, [first, second, third, fourth, fifth, _]: [u64; 6]) {
    match number {
        libc::SYS_mmap => mapped(first, second, fourth),
        libc::SYS_munmap => memory_changes(range(first, second)),
        libc::SYS_mremap => moved([first, second, third, fourth, fifth]),
        libc::SYS_mprotect => protected(first, second, third),
        libc::SYS_pkey_mprotect => memory_changes(range(first, second)),
        libc::SYS_madvise => advised(first, second, third),
        _ => {}
    }
}

/// Up to the end of its last page.
fn range(start: u64, len: u64) -> Range<usize> {
    let end = (start as usize).saturating_add(len as usize);
    start as usize..end.checked_next_multiple_of(PAGE).unwrap_or(end)
}

/// Of a length that isn't known.
fn from(start: u64) -> Range<usize> {
    start as usize..usize::MAX
}

unsafe extern "C" fn pkey_mprotect_body(start: u64, len: u64, protection: i32, key: i32, _: usize) -> i32 {
    type MappingCall = unsafe extern "C" fn(u64, u64, i32, i32) -> i32;
    // SAFETY: the function has this type.
    let real: MappingCall = unsafe { transmute(real!(c"pkey_mprotect")) };
    memory_changes(range(start, len));
    // SAFETY: the program's own call.
    let result = unsafe { real(start, len, protection, key) };
    memory_changes(range(start, len));
    result
}

stub!(pkey_mprotect, pkey_mprotect_body, start len protection key);
