//! Which CPU a thread is on that has no rseq.

use crate::arch;
use abi::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// The CPU that the calling thread is on, or 0 where only the kernel knows. For a thread without rseq: others
/// find it in their area, which costs less.
///
/// Async-signal-safe; no system call.
// Relaxed: the word carries nothing but itself, and all threads store the same.
pub fn current_cpu() -> u32 {
    const UNKNOWN: u32 = 0;
    const YES: u32 = 1;
    const NO: u32 = 2;
    // Asked at the first use: in a virtual machine the question takes longer than many events.
    static KNOWS: AtomicU32 = AtomicU32::new(UNKNOWN);
    if KNOWS.load(Relaxed) == UNKNOWN {
        KNOWS.store(if arch::knows_cpu() { YES } else { NO }, Relaxed);
    }
    if KNOWS.load(Relaxed) == YES { arch::current_cpu() } else { 0 }
}
