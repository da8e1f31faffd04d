//! What depends on the processor.
//!
//! # Safety
//!
//! The caller answers for the addresses; the words there are shared, and changed as atomics are (R11).

use abi::atomic::before_access;

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    append, append_at, append_last, append_read, append_sliced_at, current_cpu, knows_cpu, ticks,
};

/// Replaces two words by one locked instruction, if they are as expected.
///
/// # Safety
///
/// `address` is 16-byte aligned and valid for 16 bytes, which are atomics.
#[inline(always)]
pub(crate) unsafe fn compare_exchange_pair(address: *mut u64, expected: (u64, u64), new: (u64, u64)) -> bool {
    before_access();
    #[cfg(shuttle)]
    if abi::atomic::is_torn(address.addr()) {
        // SAFETY: the caller answers for the address.
        return unsafe { exchange_torn(address, expected, new) };
    }
    // SAFETY: the caller answers for the address.
    unsafe { x86_64::compare_exchange_pair(address, expected, new) }
}

/// Replaces two words by loads and, later, stores: a mistake for the tests to find, see
/// [`abi::atomic::tear`].
///
/// # Safety
///
/// `address` is 16-byte aligned and valid for 16 bytes, which are atomics.
#[cfg(shuttle)]
unsafe fn exchange_torn(address: *mut u64, expected: (u64, u64), new: (u64, u64)) -> bool {
    // SAFETY: the caller answers for the address.
    unsafe {
        if (address.read_volatile(), address.wrapping_add(1).read_volatile()) != expected {
            return false;
        }
        before_access();
        address.write_volatile(new.0);
        address.wrapping_add(1).write_volatile(new.1);
    }
    true
}
