//! The page that a block's writers have left last, for one who counts what is in it.
//!
//! Nobody copies it, and nothing is guarded: what is counted while writers overwrite the page, a whole lap
//! later, is wrong, and stays within the page.

use crate::buffer::Buffer;
use crate::geometry::{TailPage, page_header};
use abi::atomic::{AtomicU32, AtomicU64};
use abi::buffer::Tail;
use abi::page::{HEADER_SIZE, TYPE_PADDING, TYPE_TIME_EXTEND, TYPE_TIME_STAMP};
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// Bytes of an event's own word, and of the length where that doesn't fit it.
const WORD: u64 = 4;

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
        let page = place.memory.page_offset(index);
        let Some([_, commit]) = page_header(page, self.segment()) else { return };
        let commit: &AtomicU64 = commit;
        let len = commit.load(Relaxed).min(self.geometry().page_capacity());
        let word = |at: u64| {
            let found: Option<&AtomicU32> = self.segment().get(page + HEADER_SIZE as u64 + at);
            found.map_or(0, |word| word.load(Relaxed))
        };
        let mut at = 0;
        while at + 2 * WORD <= len {
            let kind = word(at) & 0x1f;
            let (payload, size) = match kind {
                0 => (Some(2 * WORD), WORD + u64::from(word(at + WORD))),
                TYPE_PADDING => return,
                TYPE_TIME_EXTEND | TYPE_TIME_STAMP => (None, 2 * WORD),
                words => (Some(WORD), WORD + u64::from(words) * 4),
            };
            if let Some(payload) = payload {
                visit(word(at + payload));
            }
            // What makes no sense ends it.
            if size < 2 * WORD {
                return;
            }
            at += size.next_multiple_of(4);
        }
    }

    // Acquire: pairs with the commit that has moved the tail.
    fn tail_page(&self, cpu: u32) -> Option<TailPage<'_>> {
        let block = self.block(cpu)?;
        let tail = Tail(block.tail.load(Acquire));
        TailPage::of(tail, block, self.geometry(), self.segment()).ok()
    }
}
