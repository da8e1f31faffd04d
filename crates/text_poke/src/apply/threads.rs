//! What makes other threads see code that has changed.

use super::refusal::NotApplied;
use rustix::thread::{MembarrierCommand, membarrier};

const SYNC_CORE: MembarrierCommand = MembarrierCommand::PrivateExpeditedSyncCore;
const REGISTER: MembarrierCommand = MembarrierCommand::RegisterPrivateExpeditedSyncCore;

/// Sees to it that [`synchronize`] works: the kernel wants to be told once by a process that it will be
/// asked.
///
/// That takes some 10 ms in a process with several threads, once, and nothing else.
pub(super) fn prepare() -> Result<(), NotApplied> {
    membarrier(REGISTER).map_err(NotApplied::Unsynchronized)
}

/// Makes every other thread of the process execute a serializing instruction before it executes anything
/// else of the program. It interrupts CPUs, not threads: no call of the program's ends by it.
pub(super) fn synchronize() -> Result<(), NotApplied> {
    membarrier(SYNC_CORE).map_err(NotApplied::Unsynchronized)
}

/// Does it in the calling thread, which the kernel leaves out.
pub(super) fn synchronize_own() {
    core::arch::x86_64::__cpuid(0);
}
