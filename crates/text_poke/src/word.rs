//! Aligned words of eight bytes: what one store changes.

use crate::site_code::SiteCode;

/// How many bytes a word has.
pub const WORD: u64 = 8;

/// Bytes of one word, and what they are to become: T1, one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordChange {
    /// The word's address, a multiple of eight.
    pub address: u64,
    /// Which of its bits are the site's.
    pub mask: u64,
    /// What those are before.
    pub from: u64,
    /// What they are afterwards.
    pub to: u64,
}

/// Whether `len` bytes at `address` lie within one word.
pub fn is_one_word(address: u64, len: usize) -> bool {
    address % WORD + len as u64 <= WORD
}

/// The words in which code at `address` changes from one to another, in the order of their addresses.
pub fn changes(address: u64, from: SiteCode, to: SiteCode) -> impl Iterator<Item = WordChange> {
    let first = address - address % WORD;
    let words = (0..3).map(move |index| first.wrapping_add(index * WORD));
    words.map(move |word| change(word, address, from, to)).filter(|change| change.from != change.to)
}

fn change(word: u64, address: u64, from: SiteCode, to: SiteCode) -> WordChange {
    let mut change = WordChange { address: word, mask: 0, from: 0, to: 0 };
    for (index, (before, after)) in from.bytes().iter().zip(to.bytes()).enumerate() {
        let at = address.wrapping_add(index as u64).wrapping_sub(word);
        if at < WORD {
            change.mask |= 0xff << (8 * at);
            change.from |= u64::from(*before) << (8 * at);
            change.to |= u64::from(*after) << (8 * at);
        }
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn what_lies_in_one_word_is_one_change() {
        let (from, to) = (SiteCode::new(&[1, 2, 3, 4, 5]), SiteCode::new(&[9, 2, 3, 4, 8]));
        let found: Vec<_> = changes(0x1003, from, to).collect();
        let mask = 0xffff_ffff_ff00_0000;
        let expected =
            WordChange { address: 0x1000, mask, from: 0x0504_0302_0100_0000, to: 0x0804_0302_0900_0000 };
        assert_eq!(found, [expected]);
        assert!(is_one_word(0x1003, 5) && !is_one_word(0x1004, 5));
    }

    #[test]
    fn words_that_stay_as_they_are_are_not_changed() {
        let (from, to) = (SiteCode::new(&[1, 2, 3, 4, 5]), SiteCode::new(&[9, 2, 3, 4, 5]));
        for offset in 0..8 {
            let found: Vec<_> = changes(0x1000 + offset, from, to).collect();
            assert_eq!(found.len(), 1, "{offset}");
            assert_eq!(found[0].to >> (8 * offset) & 0xff, 9);
        }
        let other = SiteCode::new(&[9, 2, 3, 4, 8]);
        assert_eq!(changes(0x1006, from, other).count(), 2);
    }

    #[test]
    fn eleven_bytes_take_three_words_at_most() {
        let (from, to) = (SiteCode::new(&[1; 11]), SiteCode::new(&[2; 11]));
        assert_eq!(changes(0x1007, from, to).count(), 3);
        assert_eq!(changes(0x1005, from, to).count(), 2);
    }
}
