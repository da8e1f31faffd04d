//! Names of threads, as they are in the tables: two words, with zeros after the name.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// The text of a name: up to the first zero, or to what is no text, since the kernel cuts names within
/// letters.
pub(crate) fn name(comm: &[u8; 16]) -> &str {
    let bytes = comm.split(|byte| *byte == 0).next().unwrap_or_default();
    match bytes.utf8_chunks().next().map(|chunk| chunk.valid()) {
        Some("") => "?",
        text => text.unwrap_or_default(),
    }
}

// Relaxed: published with the entry; of two halves of a name that is changed later, one may be older.
pub(crate) fn store_comm(words: &[AtomicU64; 2], comm: [u8; 16]) {
    for (word, bytes) in words.iter().zip(comm.as_chunks::<8>().0) {
        word.store(u64::from_le_bytes(*bytes), Relaxed);
    }
}

// Relaxed: see `store_comm`.
pub(crate) fn load_comm(words: &[AtomicU64; 2]) -> [u8; 16] {
    let [low, high] = words;
    (u128::from(low.load(Relaxed)) | u128::from(high.load(Relaxed)) << 64).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_cut_within_a_letter_ends_before_it() {
        assert_eq!(name(b"worker\0\0\0\0\0\0\0\0\0\0"), "worker");
        assert_eq!(name(b"fifteen letters\0"), "fifteen letters");
        assert_eq!(name(b"gr\xc3\xb6\xc3\0abcdefghi\0"), "gr\u{f6}");
        assert_eq!((name(&[0xff; 16]), name(&[0; 16])), ("?", ""));
    }
}
