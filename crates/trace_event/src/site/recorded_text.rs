//! What is recorded of a text that a program gives.

use super::program_text::{Readable, end_of_character};

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
    /// What is recorded of a text of which nothing is there, though so many bytes were wanted.
    #[cold]
    #[inline(never)]
    pub(super) fn of_empty(text: *const u8, wanted: usize, readable: Readable) -> RecordedText {
        let stands = match wanted {
            0 => b"",
            _ if text.is_null() => NULL,
            _ if readable(text, 1) == 0 => FAULT,
            _ => b"",
        };
        RecordedText { bytes: stands.as_ptr(), len: stands.len().min(wanted), is_cut: false }
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
