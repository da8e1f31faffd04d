//! Words of the process's own memory, which may be gone: the kernel is asked to copy them.

use crate::preload::arch::system_call;
use rustix::process::getpid;

/// Bytes of a word.
pub(crate) const WORD: u64 = size_of::<u64>() as u64;

/// Copies from places, each an address and a number of bytes, as far as they can be read: how many bytes, or
/// an error. Async-signal-safe.
pub(crate) fn copy(into: &mut [u64], from: &[[u64; 2]]) -> i64 {
    let pid = getpid().as_raw_nonzero().get() as u64;
    let own = [into.as_mut_ptr().expose_provenance() as u64, size_of_val(into) as u64];
    let own = (&raw const own).expose_provenance() as u64;
    let (other, count) = (from.as_ptr().expose_provenance() as u64, from.len() as u64);
    // SAFETY: the kernel stores in the words what can be read at the places.
    unsafe { system_call::call(libc::SYS_process_vm_readv, [pid, own, 1, other, count, 0]) }
}

/// Stores bytes at an address. False where that can't be written. Async-signal-safe.
pub(crate) fn store(address: u64, bytes: &[u8]) -> bool {
    let pid = getpid().as_raw_nonzero().get() as u64;
    let own = [bytes.as_ptr().expose_provenance() as u64, bytes.len() as u64];
    let own = (&raw const own).expose_provenance() as u64;
    let other = [address, bytes.len() as u64];
    let other = (&raw const other).expose_provenance() as u64;
    // SAFETY: the kernel stores only where the process itself could; the caller answers for what is there.
    let stored = unsafe { system_call::call(libc::SYS_process_vm_writev, [pid, own, 1, other, 1, 0]) };
    stored == bytes.len() as i64
}
