//! The page that a block's writers have left last, for one who counts what is in it.
//!
//! Nobody copies it, and nothing is guarded: what is counted while writers overwrite the page, a whole lap
//! later, is wrong, and stays within the page.

use crate::buffer::Buffer;
use crate::geometry::{TailPage, page_header};
use abi::atomic::{AtomicU32, AtomicU64};
use abi::buffer::Tail;
use abi::page::{self, PageEntry};
use core::sync::atomic::Ordering::{Acquire, Relaxed};

impl Buffer {
    /// The number of the first event in the page that a CPU's next event goes to. None where there is none.
    // Acquire: pairs with the commit that has moved the tail there. Relaxed: a number that is not the page's
    // any more is that of another one.
    pub fn page_start(&self, cpu: u32) -> Option<u64> {
        Some(self.tail_page(cpu)?.slot.first_event.load(Relaxed))
    }

    /// Gives the first half of the first word of each event in the page before that: its id, and some flags.
    ///
    /// Async-signal-safe. Cost: some loads for each event.
    // Relaxed: see the module.
    pub fn visit_page_before(&self, cpu: u32, mut visit: impl FnMut(u32)) {
        let Some(place) = self.tail_page(cpu) else { return };
        let Some(index) = place.memory.before(place.index, 1) else { return };
        let start = place.memory.page_offset(index);
        let Some([_, commit]) = page_header(start, self.segment()) else { return };
        let commit: &AtomicU64 = commit;
        let len = commit.load(Relaxed).min(self.geometry().page_capacity());
        let word = |at: u64| {
            let found: Option<&AtomicU32> = self.segment().get(start + page::HEADER_SIZE as u64 + at);
            found.map_or(0, |word| word.load(Relaxed))
        };
        let mut at = 0;
        while at + 2 * page::EVENT_HEADER as u64 <= len {
            let size = match page::entry(word(at), word(at + page::EVENT_HEADER as u64)) {
                PageEntry::Data { lead, len, .. } => {
                    visit(word(at + lead as u64));
                    lead + len
                }
                PageEntry::TimeExtend(_) | PageEntry::TimeStamp(_) => page::TIME_EXTEND_SIZE,
                PageEntry::Padding { .. } | PageEntry::End => return,
            };
            at += (size as u64).next_multiple_of(4);
        }
    }

    // Acquire: pairs with the commit that has moved the tail.
    fn tail_page(&self, cpu: u32) -> Option<TailPage<'_>> {
        let block = self.block(cpu)?;
        let tail = Tail(block.tail.load(Acquire));
        TailPage::of(tail, block, self.geometry(), self.segment()).ok()
    }
}
