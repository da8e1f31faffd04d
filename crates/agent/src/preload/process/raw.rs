//! syscall(2), for the calls that matter past libc's own functions: those that make a process, those that
//! install a filter of system calls, and those that take memory away.
//!
//! A child that is made so has its parent's words, and would record in its name. All other calls go to the
//! kernel as they are, and they alone are recorded where system calls are wanted.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::arch::system_call::call as kernel;
use crate::preload::execute::place::makes_with;
use crate::preload::function::{record_system_call_enter, record_system_call_exit};
use crate::preload::memory::mapping;
use crate::preload::object::mapped;
use crate::preload::process::fork::{in_copy, made, takes_clock};
use crate::preload::signal::fatal;
use libc::{CLONE_SETTLS, CLONE_VFORK, CLONE_VM};
use trace_event::FrameRecord;

pub(crate) unsafe extern "C" fn before_making() {
    mapped::prepare_copy();
    trace_event::keep_aside();
}

/// In who has made something, in what was made if it is on the same stack, and in who has failed: gives
/// what the call has returned.
pub(crate) unsafe extern "C" fn after_making(number: i64, first: u64, result: i64) -> i64 {
    // SAFETY: the call has read them.
    let flags = if result < 0 { 0 } else { unsafe { flags(number, first) } };
    let shares_memory = flags & CLONE_VM as u64 != 0;
    let shares_words = shares_memory && flags & CLONE_SETTLS as u64 == 0;
    let placeholder = trace_event::placeholder_aside();
    let is_child = result == 0;
    let is_alone = !shares_words || result < 0 || !is_child && flags & CLONE_VFORK as u64 != 0;
    if is_child {
        makes_with(flags as i32);
    }
    if is_alone {
        trace_event::take_back_kept();
    }
    match (is_child, shares_memory) {
        (true, false) => in_copy(placeholder),
        (true, true) => trace_event::child_in_memory(true),
        (false, _) => made(placeholder, result as i32),
    }
    result
}

/// The flags of a call that makes a thread or a process, and has done so.
///
/// # Safety
///
/// It has succeeded.
unsafe fn flags(number: i64, first: u64) -> u64 {
    match number {
        libc::SYS_clone => first,
        // SAFETY: the kernel has read what its first argument points to, which starts with the flags.
        libc::SYS_clone3 => unsafe { (first as *const u64).read_unaligned() },
        _ => 0,
    }
}

/// prctl(2) and seccomp(2), which may install a filter of system calls, or take the clock away.
pub(crate) unsafe extern "C" fn filtering(
    number: i64,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
) -> i64 {
    let (takes_clock, installs) = match number {
        libc::SYS_prctl => (takes_clock(first as i32, second as usize), first as i32 == libc::PR_SET_SECCOMP),
        _ => {
            let operation = first as u32;
            let is_strict = operation == libc::SECCOMP_SET_MODE_STRICT;
            (is_strict, is_strict || operation == libc::SECCOMP_SET_MODE_FILTER)
        }
    };
    if takes_clock {
        trace_event::leave();
    }
    // SAFETY: the program's own call.
    let call = || unsafe { kernel(number, [first, second, third, fourth, fifth, 0]) };
    let result = if installs { fatal::installing_filter(call, |result| result >= 0) } else { call() };
    if result < 0 { fail(result) } else { result }
}

/// Calls that change what is mapped. The sixth argument is where that of syscall(2) is.
pub(crate) unsafe extern "C" fn mapping(
    number: i64,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
    sixth: u64,
) -> i64 {
    let arguments = [first, second, third, fourth, fifth, sixth];
    mapping::by_number(number, arguments);
    // SAFETY: the program's own call.
    let result = unsafe { kernel(number, arguments) };
    mapping::by_number(number, arguments);
    if result < 0 { fail(result) } else { result }
}

/// A call that is recorded: its number and arguments, and the frame of who has been called for it.
pub(crate) unsafe extern "C" fn recorded(words: &[u64; 7], frame: *const FrameRecord) -> i64 {
    let [number, arguments @ ..] = *words;
    record_system_call_enter(number as u32, &arguments, frame);
    // SAFETY: the program's own call.
    let result = unsafe { kernel(number.cast_signed(), arguments) };
    record_system_call_exit(number as u32, result, frame);
    if (-4095..0).contains(&result) { fail(result) } else { result }
}

/// What libc does with an error of the kernel's.
pub(crate) extern "C" fn fail(result: i64) -> i64 {
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = -result as i32 };
    -1
}
