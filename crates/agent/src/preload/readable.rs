//! How much of the program's memory can be read where a pointer of its leads.
//!
//! That a call has succeeded shows that the kernel, or libc, could read what it was given. That it has
//! failed shows nothing: a filter, a tracer or the call itself may have answered before anybody looked.
//! Then memory is read only if it is a part of the thread's own stack in use, or of the program itself as it
//! was loaded, or if the kernel says that it is there: it is asked by a call that reads a signal set from it
//! and then finds that it is to do nothing with it. Where a filter may be there the kernel is not asked.
//!
//! See `docs/decisions/007-memory.md`.

use crate::preload::{image, sandbox};
use core::arch::asm;
use trace_event::stack_in_use;

/// Bytes of a page.
const PAGE: usize = 4096;

/// How many bytes from `address` on can be read, up to `wanted`. As long as nobody unmaps them, who would
/// take them away from the call itself.
///
/// Async-signal-safe, and errno stays. Cost: a few loads on the thread's own stack and in the program, else
/// 100 ns for each page.
pub(crate) fn readable(address: *const u8, wanted: usize) -> usize {
    let start = address.addr();
    let Some(end) = start.checked_add(wanted).filter(|_| start != 0) else { return 0 };
    let own = stack_in_use();
    let sure = if own.contains(&start) { Some(own.end) } else { image::end_of_segment(start) };
    if let Some(sure) = sure {
        return end.min(sure) - start;
    }
    if sandbox::may_be_there() {
        return 0;
    }
    let mut reached = start;
    while reached < end && is_there(reached) {
        reached = (reached | (PAGE - 1)) + 1;
    }
    reached.min(end) - start
}

/// Whether the page with `address` can be read.
fn is_there(address: usize) -> bool {
    /// Neither of the things that rt_sigprocmask(2) can do. It reads the set before it looks at that.
    const NOTHING: i32 = -1;
    const SIZE_OF_SET: usize = 8;
    let mut result = libc::SYS_rt_sigprocmask;
    // SAFETY: the kernel reads 8 bytes, if they are there, and changes nothing.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") NOTHING,
            in("rsi") address & !(SIZE_OF_SET - 1),
            in("rdx") 0,
            in("r10") SIZE_OF_SET,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == -i64::from(libc::EINVAL)
}
