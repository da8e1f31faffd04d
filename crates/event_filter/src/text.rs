//! Strings of records, and the bytes of patterns.

/// What a location word at `offset` points to, counting from `base`: its low half is where, the high one
/// how many bytes. None where it is not in the record.
pub(crate) fn located(record: &[u8], offset: usize, base: usize) -> Option<&[u8]> {
    let word = u32::from_le_bytes(*record.get(offset..)?.first_chunk()?);
    let start = base + (word & 0xffff) as usize;
    record.get(start..start + (word >> 16) as usize)
}

/// `bytes` up to the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| *byte == 0);
    end.and_then(|end| bytes.get(..end)).unwrap_or(bytes)
}

/// The bytes of a pattern, which come in words.
pub(crate) struct Pattern<F> {
    word: F,
    len: usize,
}

impl<F: Fn(usize) -> Option<u64>> Pattern<F> {
    pub(crate) fn new(word: F, len: usize) -> Pattern<F> {
        Pattern { word, len }
    }

    /// The byte at `index`. None after the last one.
    #[inline]
    pub(crate) fn byte(&self, index: usize) -> Option<u8> {
        let word = if index < self.len { (self.word)(index / 8)? } else { return None };
        Some((word >> (index % 8 * 8)) as u8)
    }

    /// Whether it is this text.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        let mut words = text.chunks(8).map(packed).enumerate();
        text.len() == self.len && words.all(|(index, word)| (self.word)(index) == Some(word))
    }
}

/// Up to eight bytes as a word.
pub(crate) fn packed(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
