//! Space for a `format` text where nothing may be allocated.

use core::fmt::{Result, Write};

/// The longest `format` text of a program's own event: a page, as in the kernel.
const LONGEST: usize = 4096;

/// A `format` text in memory of its own, for where nothing may be allocated.
pub(in crate::site) struct FormatText {
    bytes: [u8; LONGEST],
    len: usize,
}

impl FormatText {
    /// No text yet.
    pub(in crate::site) const fn new() -> FormatText {
        FormatText { bytes: [0; LONGEST], len: 0 }
    }

    /// The text.
    pub(in crate::site) fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|text| core::str::from_utf8(text).ok()).unwrap_or("")
    }
}

impl Write for FormatText {
    fn write_str(&mut self, text: &str) -> Result {
        let space = self.bytes.get_mut(self.len..).and_then(|rest| rest.get_mut(..text.len()));
        space.ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}
