//! How many pages a ring has, and where.

/// The word of a ring that says what its pages are: who looks at it once has seen both as they belong
/// together.
///
/// ```text
/// bits  0..31   pages   at least two, or 0 where the ring has no memory
/// bit  31       grown   which of the ring's homes they are in: the second
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingPages(pub u32);

impl RingPages {
    const GROWN: u32 = 1 << 31;

    /// So many pages: in the ring's first home if that has space for them, else in the second.
    pub const fn new(count: u32, first_home: u32) -> RingPages {
        RingPages(count & !Self::GROWN | if count > first_home { Self::GROWN } else { 0 })
    }

    /// How many there are.
    pub const fn count(self) -> u32 {
        self.0 & !Self::GROWN
    }

    /// Which of the ring's homes they are in.
    pub const fn home(self) -> usize {
        (self.0 & Self::GROWN != 0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_does_not_fit_its_first_home_is_in_the_second() {
        let at = |count| (RingPages::new(count, 7).count(), RingPages::new(count, 7).home());
        assert_eq!([at(0), at(7), at(8)], [(0, 0), (7, 0), (8, 1)]);
    }
}
