//! Places in the heap.

/// A place in the heap, as it stands in a word.
pub const fn heap_word(offset: u32, len: u32) -> u64 {
    (offset as u64) << 32 | len as u64
}

/// Offset in the heap and bytes, from a word.
pub const fn heap_range(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}
