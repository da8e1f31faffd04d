//! Triggers: what is done when an event happens.
//!
//! Those of an event in an instance lie one after the other where filters are, newest first, and are found
//! by a [`filter_word`](super::filter_word). So they change all at once. Each is
//!
//! ```text
//! head      0        8        16        32        48        64
//!           | action | detail | target  | program | text    |
//! counter   which of the counters says how often it may still act; 0: as often as it likes
//! program   so many words: when it acts, by a filter; none: always
//! text      the filter's, so many bytes, in words
//! ```
//!
//! The counters lie apart: they go on counting while others come and go next to their trigger.

use super::EVENTS;

/// The most triggers that an event can have in an instance.
pub const MOST_TRIGGERS: usize = 16;

/// Bytes of the words that say where an instance's triggers are, one for each event.
pub const TRIGGERING: usize = EVENTS * 8;

/// Counters of a session.
pub const COUNTERS: usize = 1024;

/// The head of a trigger, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerHead {
    /// What it does.
    pub action: u8,
    /// More about that, where there is more.
    pub detail: u8,
    /// To which event, where it does something to one.
    pub target: u16,
    /// Words of its program.
    pub program: u16,
    /// Bytes of its filter's text.
    pub text: u16,
}

impl TriggerHead {
    /// The word.
    pub const fn encode(self) -> u64 {
        self.action as u64
            | (self.detail as u64) << 8
            | (self.target as u64) << 16
            | (self.program as u64) << 32
            | (self.text as u64) << 48
    }

    /// The head that a word is.
    pub const fn decode(word: u64) -> TriggerHead {
        TriggerHead {
            action: word as u8,
            detail: (word >> 8) as u8,
            target: (word >> 16) as u16,
            program: (word >> 32) as u16,
            text: (word >> 48) as u16,
        }
    }
}

/// What a trigger has in place of its counter: which it is, and its stamp.
///
/// A counter that is given to another trigger gets another stamp. So who still has the word of the one before
/// takes nothing from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRef(pub u64);

impl CounterRef {
    /// None: it may act as often as it likes.
    pub const UNLIMITED: CounterRef = CounterRef(0);

    /// A counter, with its stamp.
    pub const fn new(index: usize, stamp: u16) -> CounterRef {
        CounterRef((stamp as u64) << 32 | (index as u64 + 1))
    }

    /// Which it is. None where there is none.
    pub const fn index(self) -> Option<usize> {
        match self.0 as u32 {
            0 => None,
            number => Some(number as usize - 1),
        }
    }

    /// The stamp that the counter has as long as it is this trigger's.
    pub const fn stamp(self) -> u16 {
        (self.0 >> 32) as u16
    }
}

/// A counter: stamp << 48 | how often its trigger may still act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter(pub u64);

impl Counter {
    /// The highest count.
    pub const MOST: u64 = (1 << 48) - 1;

    /// One with a stamp, that allows so many.
    pub const fn new(stamp: u16, left: u64) -> Counter {
        Counter((stamp as u64) << 48 | left & Counter::MOST)
    }

    /// Its stamp.
    pub const fn stamp(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// What is left.
    pub const fn left(self) -> u64 {
        self.0 & Counter::MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_what_they_were_made_of() {
        let head = TriggerHead { action: 6, detail: 255, target: 4095, program: 4096, text: 4095 };
        assert_eq!(TriggerHead::decode(head.encode()), head);
    }

    #[test]
    fn a_counter_is_found_by_its_number_and_stamp() {
        let last = CounterRef::new(COUNTERS - 1, u16::MAX);
        assert_eq!((last.index(), last.stamp()), (Some(COUNTERS - 1), u16::MAX));
        assert_eq!((CounterRef::new(0, 0).index(), CounterRef::UNLIMITED.index()), (Some(0), None));
        let counter = Counter::new(u16::MAX, Counter::MOST);
        assert_eq!((counter.stamp(), counter.left()), (u16::MAX, Counter::MOST));
    }
}
