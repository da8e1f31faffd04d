//! Two words next to each other that are replaced at once.

use abi::atomic::before_access;

/// Replaces two words by one locked instruction, if they are as expected. Each can be changed by itself as
/// well.
///
/// Async-signal-safe.
///
/// # Safety
///
/// `first` is 16-byte aligned and valid for 16 bytes, which are atomics.
#[inline(always)]
pub unsafe fn compare_exchange_pair(first: *mut u64, expected: (u64, u64), new: (u64, u64)) -> bool {
    before_access();
    #[cfg(shuttle)]
    if abi::atomic::is_torn(first.addr()) {
        // SAFETY: the caller answers for the words.
        return unsafe { exchange_torn(first, expected, new) };
    }
    // SAFETY: the caller answers for the words.
    unsafe { crate::arch::compare_exchange_pair(first, expected, new) }
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
