//! Segments of code, which can be written for a moment: T7.

use super::refusal::NotApplied;
use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;
use rustix::mm::{MprotectFlags, mprotect};

/// A segment of code: all of its pages, so that it is never split into parts of different protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its addresses: of whole pages.
    pub pages: Range<u64>,
    /// Whether the object says that it can be written at all times.
    pub is_writable: bool,
}

/// Whether `len` bytes at `address` lie in one of `texts`, which are in the order of their addresses.
pub(super) fn contains(texts: &[Text], address: u64, len: usize) -> bool {
    let after = texts.partition_point(|text| text.pages.start <= address);
    let text = after.checked_sub(1).and_then(|last| texts.get(last));
    text.is_some_and(|text| text.pages.end.checked_sub(address).is_some_and(|rest| rest >= len as u64))
}

/// Texts that can be written until this is dropped, or better: restored.
#[derive(Debug)]
pub(super) struct WritableTexts<'a>(&'a [Text]);

impl<'a> WritableTexts<'a> {
    /// Makes all of `texts` writable, or none.
    ///
    /// # Safety
    ///
    /// They are mapped, and only code and constants are in them.
    pub(super) unsafe fn new(texts: &'a [Text]) -> Result<WritableTexts<'a>, NotApplied> {
        for (index, text) in texts.iter().enumerate() {
            if let Err(error) = protect(text, true) {
                drop(WritableTexts(texts.get(..index).unwrap_or_default()));
                return Err(NotApplied::Forbidden { text: text.pages.start, error });
            }
        }
        Ok(WritableTexts(texts))
    }

    /// Gives them their own protection again.
    pub(super) fn restore(self) -> Result<(), NotApplied> {
        let texts = self.0;
        core::mem::forget(self);
        let mut result = Ok(());
        for text in texts {
            if let Err(error) = protect(text, false) {
                result = Err(NotApplied::LeftWritable { text: text.pages.start, error });
            }
        }
        result
    }
}

impl Drop for WritableTexts<'_> {
    fn drop(&mut self) {
        for text in self.0 {
            let _ = protect(text, false);
        }
    }
}

/// Lets a text be written, or not. It can be executed all the time.
fn protect(text: &Text, is_writable: bool) -> rustix::io::Result<()> {
    let start = with_exposed_provenance_mut(text.pages.start as usize);
    let len = text.pages.end.saturating_sub(text.pages.start) as usize;
    let mut flags = MprotectFlags::READ | MprotectFlags::EXEC;
    if is_writable || text.is_writable {
        flags |= MprotectFlags::WRITE;
    }
    // SAFETY: the maker's promise: code that can be read and executed before, can be so afterwards.
    unsafe { mprotect(start, len, flags) }
}
