//! PID filters: whose events an instance records, or doesn't.
//!
//! A list is a bit for each TID. They come in parts, pages of a pool that all lists share: a list says which
//! page has which part, and a part that has none has no bit set.

use crate::atomic::{AtomicU32, AtomicU64};

/// TIDs that there can be: Linux has none from this number on.
pub const TIDS: usize = 1 << 22;

/// TIDs of a part: a page of bits.
pub const TIDS_IN_PART: usize = 4096 * 8;

/// Parts of a list.
pub const PID_PARTS: usize = TIDS / TIDS_IN_PART;

/// Pages of the pool.
pub const PID_PAGES: usize = 1024;

/// The lists that an instance has: two for events, and two for functions.
pub const PID_LISTS: usize = 4;

/// Numbers that a list can have in addition to those that are TIDs.
pub const OTHER_PIDS: usize = 64;

/// A list.
#[derive(Debug)]
#[repr(C)]
pub struct PidList {
    /// For each part the number of its page + 1, or 0: four to a word.
    pub pages: [AtomicU64; PID_PARTS / 4],
    /// Numbers in it that no thread can have, to be read back; 0 after the last.
    pub others: [AtomicU32; OTHER_PIDS],
}

/// The number of a part's page, from the word that has it. None where there is none.
pub const fn pid_page(word: u64, part: usize) -> Option<usize> {
    match word >> (part % 4 * 16) & 0xffff {
        0 => None,
        number => Some(number as usize - 1),
    }
}

/// The word with another page for a part.
pub const fn with_pid_page(word: u64, part: usize, page: usize) -> u64 {
    let shift = part % 4 * 16;
    word & !(0xffff << shift) | (page as u64 + 1) << shift
}

const _: () = assert!(PID_PAGES < 0xffff && size_of::<PidList>() == 512);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_pages_of_four_parts() {
        let word = with_pid_page(with_pid_page(0, 5, 0), 7, PID_PAGES - 1);
        assert_eq!([4, 5, 6, 7].map(|part| pid_page(word, part)), [None, Some(0), None, Some(PID_PAGES - 1)]);
        assert_eq!(pid_page(with_pid_page(word, 5, 9), 5), Some(9));
    }
}
