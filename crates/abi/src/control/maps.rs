//! What processes have mapped, and the files that are mapped.

use crate::atomic::{AtomicU32, AtomicU64};

/// Map words in a chunk.
pub const CHUNK_MAPS: usize = 31;

/// More map words of a process.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct MapChunk {
    /// [`State`](super::State): free or claimed.
    pub state: AtomicU32,
    /// Index of the next chunk + 1, or 0.
    pub next: AtomicU32,
    /// Map words, 0 after the last.
    pub maps: [AtomicU64; CHUNK_MAPS],
}

/// The word for an object that is mapped with load bias `base`, a multiple of 4096. Never 0.
pub const fn map_word(base: u64, object: u32) -> u64 {
    (base >> 12) << 16 | (object as u64 + 1) & 0xffff
}

/// The load bias in a map word.
pub const fn map_base(word: u64) -> u64 {
    word >> 16 << 12
}

/// The index of the [`Object`] in a map word.
pub const fn map_object(word: u64) -> Option<u32> {
    match word & 0xffff {
        0 => None,
        object => Some(object as u32 - 1),
    }
}

/// Bytes of a build id that are kept: a SHA-1.
pub const BUILD_ID: usize = 20;

/// A mapped file: the same in all processes that map it. Entries are used in order; a hash of the build id
/// (or of the path, where there is none), which stands apart, is what claims one and what it is found by.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Object {
    /// Offset of the path in the heap << 32 | bytes; 0 until the rest is filled.
    pub path: AtomicU64,
    /// Lowest address of its segments, before the load bias.
    pub low: AtomicU64,
    /// Address after its last segment, before the load bias.
    pub high: AtomicU64,
    /// Its build id, zeros after it.
    pub build_id: [AtomicU64; 3],
    /// How many sites for tracing functions it has + 1; 0 as long as nobody has looked.
    pub sites: AtomicU64,
    /// How many of them a process could not change any more, as other threads may be between their nops.
    pub late: AtomicU64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_words_hold_any_address_of_a_program() {
        let base = 0x7fff_ffff_f000;
        assert_eq!(map_base(map_word(base, 1023)), base);
        assert_eq!(map_object(map_word(base, 1023)), Some(1023));
        assert_eq!(map_object(map_word(0, 0)), Some(0));
        assert_eq!(map_object(0), None);
    }
}
