//! Texts of the program's, which may be anywhere.

use shm::PAGE;

/// How many bytes from an address on can be read, up to so many.
pub(super) type Readable = fn(*const u8, usize) -> usize;

/// How long a text is that ends with a zero byte, or where it can't be read any more, or after `most` bytes.
///
/// # Safety
///
/// What `readable` says holds.
pub(super) unsafe fn len_of_text(text: *const u8, most: usize, readable: Readable) -> usize {
    let mut len = 0;
    while len < most {
        let rest = text.wrapping_add(len);
        let in_page = (PAGE - (rest.addr() & (PAGE - 1))).min(most - len);
        let there = readable(rest, in_page);
        for at in 0..there {
            // SAFETY: it can be read. Volatile: the program may change it.
            if unsafe { rest.add(at).read_volatile() } == 0 {
                return len + at;
            }
        }
        len += there;
        if there < in_page {
            break;
        }
    }
    len
}

/// The last place up to `end` at which no character of UTF-8 is in the middle.
///
/// # Safety
///
/// A byte more than `end` can be read.
pub(super) unsafe fn end_of_character(text: *const u8, end: usize) -> usize {
    /// What all bytes of a character but its first are in their upper bits.
    const CONTINUES: u8 = 0b10;
    // SAFETY: the caller's promise.
    let continues = |at: &usize| unsafe { text.add(*at).read_volatile() } >> 6 == CONTINUES;
    (end.saturating_sub(3)..=end).rev().find(|at| !continues(at)).unwrap_or(end)
}
