//! Where a block's next event goes.

/// The tail of a block: where its next event goes.
///
/// ```text
/// bits  0..16   data events in the page so far
/// bits 16..64   file offset of the page + bytes of events in it
/// ```
///
/// A page starts at a multiple of its size and holds at most its size - 16 bytes of events, so the
/// sum never runs into the next page and both halves can be distinguished. Adding
/// `size << 16 | 1` moves the tail after an event: one store commits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail(pub u64);

impl Tail {
    /// The tail in the page at `page_offset` after `commit` bytes that hold `events` events.
    pub const fn new(page_offset: u64, commit: u64, events: u64) -> Tail {
        Tail((page_offset + commit) << 16 | events)
    }

    /// What an event of `size` bytes adds to the tail.
    pub const fn step(size: u64) -> u64 {
        size << 16 | 1
    }

    /// The tail after one more event of `size` bytes.
    pub const fn advance(self, size: u64) -> Tail {
        Tail(self.0.wrapping_add(Self::step(size)))
    }

    /// The tail after `size` more bytes that are no data event: a time extend.
    pub const fn extend(self, size: u64) -> Tail {
        Tail(self.0.wrapping_add(size << 16))
    }

    /// File offset of the page plus bytes of events in it.
    pub const fn position(self) -> u64 {
        self.0 >> 16
    }

    /// File offset of the page.
    pub const fn page_offset(self, page_size: u64) -> u64 {
        self.position() & !(page_size - 1)
    }

    /// Bytes of events in the page.
    pub const fn commit(self, page_size: u64) -> u64 {
        self.position() & (page_size - 1)
    }

    /// Data events in the page.
    pub const fn events(self) -> u64 {
        self.0 & 0xffff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_page_stays_apart_from_the_next() {
        let tail = Tail::new(0x5000, 4080, 510);
        assert_eq!(tail.page_offset(4096), 0x5000);
        assert_eq!(tail.commit(4096), 4080);
        let largest = Tail::new(0x80000, 524_288 - 16, 65_534);
        assert_eq!(largest.page_offset(524_288), 0x80000);
        assert_eq!(largest.events(), 65_534);
    }

    #[test]
    fn a_time_extend_is_not_counted() {
        assert_eq!(Tail::new(0x5000, 0, 0).extend(8), Tail::new(0x5000, 8, 0));
    }
}
