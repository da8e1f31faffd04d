//! The head of a list of free slots.

/// The number of the first slot, how many there are, and a count of changes, by which a head that was
/// replaced and restored in between is another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListHead {
    pub(crate) first: u32,
    pub(crate) len: u8,
    changes: u32,
}

/// How many slots there can be.
pub(crate) const MOST_SLOTS: usize = (1 << 24) - 1;

impl ListHead {
    #[inline(always)]
    pub(crate) fn of(word: u64) -> ListHead {
        ListHead { first: word as u32 & 0xff_ffff, len: (word >> 24) as u8, changes: (word >> 32) as u32 }
    }

    #[inline(always)]
    pub(crate) fn word(self) -> u64 {
        u64::from(self.first) | u64::from(self.len) << 24 | u64::from(self.changes) << 32
    }

    #[inline(always)]
    pub(crate) fn without_first(self, next: u32) -> ListHead {
        let changes = self.changes.wrapping_add(1);
        ListHead { first: next, len: self.len.saturating_sub(1), changes }
    }

    #[inline(always)]
    pub(crate) fn with_first(self, first: u32) -> ListHead {
        ListHead { first, len: self.len.saturating_add(1), changes: self.changes.wrapping_add(1) }
    }
}
