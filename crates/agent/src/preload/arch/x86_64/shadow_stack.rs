//! The processor's own stack of return addresses.

use core::arch::asm;

/// Whether the processor keeps return addresses of the calling thread on a stack of its own as well, and
/// compares: a return address can't be changed then.
pub(crate) fn is_on() -> bool {
    let mut top = 0_u64;
    // SAFETY: reads a register of the processor, or does nothing.
    unsafe { asm!("rdsspq {0}", inout(reg) top, options(nomem, nostack, preserves_flags)) };
    top != 0
}
