//! Text that is formatted, without a heap.

use std::fmt::{Result, Write};

/// Bytes that are kept: no event has more.
const MOST: usize = 256;

/// Texts, one after the other; what has no space is cut off.
#[derive(Debug)]
pub(crate) struct Texts {
    bytes: [u8; MOST],
    len: usize,
}

impl Texts {
    pub(crate) const fn new() -> Texts {
        Texts { bytes: [0; MOST], len: 0 }
    }

    /// Where the next one starts.
    pub(crate) fn end(&self) -> usize {
        self.len
    }

    /// What is between two ends.
    pub(crate) fn get(&self, start: usize, end: usize) -> &str {
        self.bytes.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Texts {
    fn write_str(&mut self, text: &str) -> Result {
        let space = MOST - self.len;
        let fits = (0..=text.len().min(space)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        if let Some(to) = self.bytes.get_mut(self.len..self.len + fits) {
            to.copy_from_slice(&text.as_bytes()[..fits]);
        }
        self.len += fits;
        if fits == text.len() { Ok(()) } else { Err(std::fmt::Error) }
    }
}
