//! The TID that libc has of a thread.

use crate::arch;
use core::sync::atomic::AtomicIsize;
use core::sync::atomic::Ordering::Relaxed;

/// Where libc keeps a thread's TID, counted from the thread pointer.
static TID_OFFSET: AtomicIsize = AtomicIsize::new(0);

pub(crate) fn use_tid_offset(offset: isize) {
    TID_OFFSET.store(offset, Relaxed);
}

/// The calling thread's TID, as libc has it. Only once the process is attached.
#[inline(always)]
pub(crate) fn libc_tid() -> u32 {
    // SAFETY: a TID was found there when the process was attached.
    unsafe { arch::load_at_thread_pointer(TID_OFFSET.load(Relaxed)) }
}

/// The calling thread's TID, as libc has it: that of its parent in a child that libc has not made. Only
/// once the process is being attached.
pub fn tid_of_libc() -> u32 {
    libc_tid()
}

/// Where libc keeps a thread's TID, as it was found when the process was attached.
pub fn tid_offset() -> isize {
    TID_OFFSET.load(Relaxed)
}
