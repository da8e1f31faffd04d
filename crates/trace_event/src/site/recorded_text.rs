//! What is recorded of a text that a program gives.

use super::program_text::{Readable, end_of_character, len_of_text};

/// What stands at the end of a text that was cut off.
pub(super) const MARK: &[u8] = b"...";

/// What stands for a text at null, as printf(3) has it.
const NULL: &[u8] = b"(null)";

/// What stands for a text that can't be read, as probes have it.
const FAULT: &[u8] = b"(fault)";

/// What is recorded of a text.
#[derive(Clone, Copy)]
pub(super) struct RecordedText {
    pub(super) bytes: *const u8,
    pub(super) len: usize,
    pub(super) is_cut: bool,
}

impl RecordedText {
    /// What is recorded of a text that ends with a zero byte, of which there is space for `share` bytes with
    /// that: of at most so many, as far as it can be read.
    ///
    /// # Safety
    ///
    /// What `readable` says holds.
    #[inline(never)]
    pub(super) unsafe fn read(
        text: *const u8,
        most: usize,
        share: usize,
        readable: Readable,
    ) -> RecordedText {
        let wanted = most.min(share);
        // SAFETY: the caller's promise.
        let len = unsafe { len_of_text(text, wanted, readable) };
        let stands_for = |what: &'static [u8]| {
            let (bytes, len) = (what.as_ptr(), what.len().min(most));
            RecordedText { bytes, len, is_cut: false }
        };
        match len {
            0 if wanted == 0 => stands_for(b""),
            0 if text.is_null() => stands_for(NULL),
            0 if readable(text, 1) == 0 => stands_for(FAULT),
            // SAFETY: the caller's promise: it can be read up to there.
            _ if len >= share => unsafe { RecordedText::cut(text, share) },
            _ => RecordedText { bytes: text, len, is_cut: false },
        }
    }

    /// As much of a text as there is space for with its mark and a zero byte.
    ///
    /// # Safety
    ///
    /// So much can be read as there is space for.
    #[inline(never)]
    pub(super) unsafe fn cut(text: *const u8, share: usize) -> RecordedText {
        // SAFETY: the caller's promise.
        let len = unsafe { end_of_character(text, share.saturating_sub(1 + MARK.len())) };
        RecordedText { bytes: text, len, is_cut: true }
    }
}
