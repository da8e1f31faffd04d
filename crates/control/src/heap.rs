//! Text in the control area: allocated once, never moved, never freed.

use crate::area::ControlArea;
use abi::control::{HEAP, HEAP_OFFSET, heap_range, heap_word};
use core::sync::atomic::Ordering::AcqRel;

impl ControlArea {
    /// Stores the parts one after the other and gives the word that says where. None when the heap is
    /// full. A killed process leaves at worst bytes that nobody refers to.
    // AcqRel: bytes are handed out once, by the counter's own changes; the words that refer to them are
    // published by those who enter them.
    pub(crate) fn allocate(&self, parts: &[&[u8]]) -> Option<u64> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let size = len.checked_next_multiple_of(8)?;
        let used = &self.header().heap_used;
        let offset = used.fetch_add(size as u64, AcqRel);
        if offset.checked_add(size as u64)? > HEAP as u64 {
            used.fetch_sub(size as u64, AcqRel);
            return None;
        }
        let mut word = [0; 8];
        let mut filled = 0;
        let mut at = HEAP_OFFSET + offset;
        for byte in parts.iter().copied().flatten() {
            if let Some(to) = word.get_mut(filled) {
                *to = *byte;
            }
            filled += 1;
            if filled == word.len() {
                self.segment().write(at, &word)?;
                (word, filled, at) = ([0; 8], 0, at + 8);
            }
        }
        self.segment().write(at, word.get(..filled)?)?;
        Some(heap_word(offset as u32, len as u32))
    }

    /// Copies the text at `word` into `into` and gives as much of it as fits. None when the word makes no
    /// sense.
    pub(crate) fn text<'a>(&self, word: u64, into: &'a mut [u8]) -> Option<&'a [u8]> {
        let (offset, len) = heap_range(word);
        if u64::from(offset) + u64::from(len) > HEAP as u64 {
            return None;
        }
        let into = into.get_mut(..(len as usize))?;
        self.segment().read(HEAP_OFFSET + u64::from(offset), into)?;
        Some(into)
    }
}
