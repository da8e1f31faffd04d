//! Files that become shorter while they are mapped.
//!
//! The missing end of a file raises SIGBUS where it is mapped. A process that reads the files of others can
//! have zeros there instead, and ask whether there were any: [`outlive_truncation`].
//!
//! # Safety
//!
//! The handler changes one page, which by the kernel's word nothing backs: nobody has
//! anything there. It makes one system call and stores one flag. In a traced program there is no such
//! handler: this is for processes that are lookback's own.

use crate::system;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

/// Whether zeros were put anywhere.
static WAS_TRUNCATED: AtomicBool = AtomicBool::new(false);

/// Nothing backs the address: `BUS_ADRERR` of `<bits/siginfo-consts.h>`.
const NOTHING_THERE: c_int = 2;

/// Has this process read zeros, from now on, where a file that it maps has become shorter, and write to
/// memory of its own. To be called once, by a program that handles SIGBUS in no other way.
pub fn outlive_truncation() {
    // SAFETY: the handler is async-signal-safe; zeros are a value of the structure.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = fill as extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
    }
}

/// Whether something that was mapped has become shorter, and was missed.
pub fn was_truncated() -> bool {
    WAS_TRUNCATED.load(Relaxed)
}

extern "C" fn fill(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel's description of the signal.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };
    // SAFETY: the kernel says that nothing backs the page, so nobody has anything there.
    if code == NOTHING_THERE && unsafe { system::put_zeros(address.cast()) }.is_ok() {
        WAS_TRUNCATED.store(true, Relaxed);
        return;
    }
    // As without a handler: the instruction is tried again.
    // SAFETY: zeros are the default action.
    unsafe { libc::sigaction(libc::SIGBUS, &core::mem::zeroed(), ptr::null_mut()) };
}
