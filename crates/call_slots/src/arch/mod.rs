//! What depends on the processor.

use abi::atomic::{AtomicU64, before_access};

#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Two words that can be replaced at once. Each can be changed by itself as well.
///
/// # Safety
///
/// `first` is 16-byte aligned, and after it in the same object are eight bytes of atomics.
#[inline(always)]
pub(crate) unsafe fn compare_exchange_pair(first: &AtomicU64, expected: (u64, u64), new: (u64, u64)) -> bool {
    before_access();
    #[cfg(shuttle)]
    if abi::atomic::is_torn(first.as_ptr().addr()) {
        // SAFETY: the caller answers for the words.
        return unsafe { exchange_torn(first.as_ptr(), expected, new) };
    }
    // SAFETY: the caller answers for the words.
    unsafe { x86_64::compare_exchange_pair(first.as_ptr(), expected, new) }
}

/// Replaces two words by loads and, later, stores: a mistake for the tests to find, see
/// [`abi::atomic::tear`].
///
/// # Safety
///
/// As for [`compare_exchange_pair`].
#[cfg(shuttle)]
unsafe fn exchange_torn(first: *mut u64, expected: (u64, u64), new: (u64, u64)) -> bool {
    // SAFETY: the caller answers for the words.
    unsafe {
        if (first.read_volatile(), first.wrapping_add(1).read_volatile()) != expected {
            return false;
        }
        before_access();
        first.write_volatile(new.0);
        first.wrapping_add(1).write_volatile(new.1);
    }
    true
}
