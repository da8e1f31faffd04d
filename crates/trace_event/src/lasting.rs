//! Memory that can be read for as long as the program runs: a part of its file, in which most of its texts
//! are.

use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use shm::PAGE;

/// Where a text was found last that is in such memory: its first page in the lower bits, how many in the
/// others. One word: nobody finds the start of one part with the end of another.
static PAGES: AtomicU64 = AtomicU64::new(0);

/// Bits of a page's number.
const PAGE_BITS: u32 = 36;

/// Says that pages can be read for as long as the program runs. What was said before is forgotten.
pub fn lasts(pages: &Range<usize>) {
    let count = (pages.len() / PAGE) as u64;
    if count < 1 << (u64::BITS - PAGE_BITS) {
        PAGES.store((pages.start / PAGE) as u64 | count << PAGE_BITS, Relaxed);
    }
}

/// How many bytes there are from an address on in such memory, if that is known; else 0. Cost: a load.
#[inline(always)]
pub(crate) fn lasting(address: usize) -> usize {
    in_pages(PAGES.load(Relaxed), address)
}

/// How many bytes there are in pages, as a word has them, from an address in them on; 0 from others.
#[inline(always)]
fn in_pages(pages: u64, address: usize) -> usize {
    let start = (pages & ((1 << PAGE_BITS) - 1)) as usize * PAGE;
    let len = (pages >> PAGE_BITS) as usize * PAGE;
    len.saturating_sub(address.wrapping_sub(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_known_up_to_its_end() {
        let of = [5 * PAGE - 1, 5 * PAGE, 7 * PAGE - 1, 7 * PAGE, usize::MAX];
        assert_eq!(of.map(|address| in_pages(5 | 2 << PAGE_BITS, address)), [0, 2 * PAGE, 1, 0, 0]);
        assert_eq!(of.map(|address| in_pages(0, address)), [0; 5]);
    }
}
