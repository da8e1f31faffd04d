//! Texts, and arrays of them with a null at the end, that a program hands over: arguments, environments.
//!
//! Whether they are there is for the kernel to say, which comes later: what can't be shown to be readable is
//! left to it.

use crate::preload::memory::readable::readable;
use core::ffi::{CStr, c_char};
use core::ops::Range;
use shm::PAGE;

/// What was found readable last: texts lie next to each other.
#[derive(Debug, Default)]
pub(crate) struct KnownRange(Range<usize>);

impl KnownRange {
    /// For memory that is known to be there.
    pub(crate) fn all() -> KnownRange {
        KnownRange(0..usize::MAX)
    }

    /// How many bytes from `address` on are known to be readable, at most to the end of its page; 0 if none.
    pub(crate) fn reach(&mut self, address: usize) -> usize {
        if !self.0.contains(&address) {
            let wanted = PAGE - address % PAGE;
            self.0 = address..address + readable(address as *const u8, wanted);
        }
        self.0.end - address
    }

    fn has_text(&mut self, mut address: usize) -> bool {
        loop {
            let len = self.reach(address);
            // SAFETY: so many bytes can be read.
            let piece = unsafe { core::slice::from_raw_parts(address as *const u8, len) };
            if len == 0 || piece.contains(&0) {
                return len != 0;
            }
            address += len;
        }
    }
}

/// The text at `address`, if it can be read up to its zero byte.
///
/// # Safety
///
/// Nobody unmaps it while it is used.
pub(crate) unsafe fn text<'a>(address: *const c_char) -> Option<&'a CStr> {
    // SAFETY: it can be read, and the caller's promise.
    KnownRange::default().has_text(address.addr()).then(|| unsafe { CStr::from_ptr(address) })
}

/// Whether an array, and all its texts, can be read. None is one that can be.
pub(crate) fn is_readable(array: *const *const c_char) -> bool {
    let (mut places, mut texts) = (KnownRange::default(), KnownRange::default());
    let mut next = array.addr();
    while next != 0 {
        if places.reach(next) < size_of::<usize>() {
            return false;
        }
        // SAFETY: it can be read.
        let entry = unsafe { (next as *const usize).read_unaligned() };
        if entry == 0 {
            break;
        }
        if !texts.has_text(entry) {
            return false;
        }
        next += size_of::<usize>();
    }
    true
}
