//! The priority that events report.

use core::sync::atomic::AtomicI32;
use core::sync::atomic::Ordering::Relaxed;

/// The process's nice value.
static NICE: AtomicI32 = AtomicI32::new(0);

/// Keeps the process's nice value.
pub(crate) fn remember(nice: i32) {
    NICE.store(nice, Relaxed);
}

/// The priority that the kernel's events would have: 120 for a nice value of 0.
pub(crate) fn priority() -> i32 {
    120 + NICE.load(Relaxed)
}
