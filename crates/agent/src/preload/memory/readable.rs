//! How much of the program's memory can be read where a pointer of its leads.
//!
//! That a call has succeeded shows that the kernel, or libc, could read what it was given. That it has
//! failed shows nothing: a filter, a tracer or the call itself may have answered before anybody looked.
//! Then memory is read only if it is a part of the thread's own stack in use, or of the program itself as it
//! was loaded, or if the kernel says that it is there: it is asked by a call that reads a signal set from it
//! and then finds that it is to do nothing with it. Where a filter may be there the kernel is not asked; nor
//! where it isn't the kernel that would answer, but somebody who stands between it and the program.
//!
//! See `docs/decisions/007-memory.md`.

use crate::preload::arch::{system_call, valgrind};
use crate::preload::object::image;
use crate::preload::process::sandbox;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use shm::PAGE;
use trace_event::{lasts, reach_in_stack};

/// How many bytes from `address` on can be read, up to `wanted`. As long as nobody unmaps them, who would
/// take them away from the call itself.
///
/// Async-signal-safe, and errno stays. Cost: a few loads on the thread's own stack and in the program, else
/// 100 ns for each page.
pub(crate) fn readable(address: *const u8, wanted: usize) -> usize {
    let start = address.addr();
    let Some(end) = start.checked_add(wanted).filter(|_| start != 0) else { return 0 };
    if let Some(segment) = image::segment_of(start) {
        lasts(&segment);
        return end.min(segment.end) - start;
    }
    if let Some(known) = reach_in_stack(start, end) {
        return end.min(known) - start;
    }
    if !may_ask() {
        return 0;
    }
    let mut reached = start;
    while reached < end && is_there(reached) {
        reached = (reached | (PAGE - 1)) + 1;
    }
    reached.min(end) - start
}

/// Whether the kernel may be asked, and says the truth. Async-signal-safe.
pub(crate) fn may_ask() -> bool {
    /// Whether it does, once somebody has asked for what no process has.
    static ANSWERS: AtomicU32 = AtomicU32::new(UNKNOWN);
    const UNKNOWN: u32 = 0;
    const TRUE: u32 = 1;
    const FALSE: u32 = 2;
    const NOWHERE: usize = usize::MAX - PAGE;
    if sandbox::may_be_there() {
        return false;
    }
    if ANSWERS.load(Relaxed) == UNKNOWN {
        let are_true = !valgrind::is_running() && !is_there(NOWHERE);
        ANSWERS.store(if are_true { TRUE } else { FALSE }, Relaxed);
    }
    ANSWERS.load(Relaxed) == TRUE
}

/// Whether the page with `address` can be read, as the kernel says. Only where it [may be asked](may_ask).
pub(crate) fn is_there(address: usize) -> bool {
    /// Neither of the things that rt_sigprocmask(2) can do. It reads the set before it looks at that.
    const NOTHING: i32 = -1;
    const SIZE_OF_SET: usize = 8;
    let set = (address & !(SIZE_OF_SET - 1)) as u64;
    let arguments = [NOTHING as u64, set, 0, SIZE_OF_SET as u64, 0, 0];
    // SAFETY: the kernel reads 8 bytes, if they are there, and changes nothing.
    let result = unsafe { system_call::call(libc::SYS_rt_sigprocmask, arguments) };
    result == -i64::from(libc::EINVAL)
}
