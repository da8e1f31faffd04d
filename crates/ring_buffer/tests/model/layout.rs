//! The words of a block, made small: what `abi::buffer` and `abi::page` lay out, in 16-bit words.
//!
//! One block with up to three rings of up to three pages. A page holds up to six units of events, where
//! an event takes two or three and a time extend takes one. Names and arithmetic are those of the
//! real layout; only the widths differ.

/// What a word holds.
pub type Value = u16;

/// The most rings of a block.
pub const RINGS: usize = 3;
/// The most pages of a ring.
pub const PAGES: usize = 3;
/// The most units of events in a page.
pub const DATA: usize = 6;
/// [`Word::generation`] of a ring that was never live, as in `abi::buffer`.
pub const NO_GENERATION: Value = Value::MAX;

/// Units from one page to the next in positions: more than a page holds, so that a position after
/// the last event is still in the page.
const PAGE_UNITS: Value = 8;
const EVENT_BITS: u32 = 3;

pub(crate) const RING_WORDS: usize = 8;
pub(crate) const KEPT_WORDS: usize = 3;
/// Places of holders.
pub const HOLDERS: usize = 2;
pub(crate) const SLOT_WORDS: usize = 2;
pub(crate) const PAGE_WORDS: usize = 2 + DATA;
pub(crate) const FIRST_HOLDER: usize = 11;
pub(crate) const FIRST_KEPT: usize = FIRST_HOLDER + HOLDERS;
pub(crate) const FIRST_RING: usize = FIRST_KEPT + RINGS * KEPT_WORDS;
pub(crate) const FIRST_SLOT: usize = FIRST_RING + RINGS * RING_WORDS;
pub(crate) const FIRST_PAGE: usize = FIRST_SLOT + RINGS * PAGES * SLOT_WORDS;

/// How many words there are.
pub const WORDS: usize = FIRST_PAGE + RINGS * PAGES * PAGE_WORDS;

/// The address of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(u8);

impl Word {
    /// `BufferHeader::control`.
    pub const CONTROL: Word = Word(0);
    /// `Block::tail`.
    pub const TAIL: Word = Word(1);
    /// `Block::last_time`, stored together with the tail.
    pub const LAST_TIME: Word = Word(2);
    /// `Block::seen`.
    pub const SEEN: Word = Word(3);
    /// `Block::flags`.
    pub const FLAGS: Word = Word(5);
    /// `Block::owner`, of a lane.
    pub const OWNER: Word = Word(6);
    /// `Block::dropped`, all reasons in one.
    pub const DROPPED: Word = Word(7);
    /// The clock. Nobody stores to it; time passes.
    pub const CLOCK: Word = Word(8);
    /// `BufferHeader::refused`.
    pub const REFUSED: Word = Word(9);
    /// `Block::parts`.
    pub const PARTS: Word = Word(10);

    /// `Ring::generation`.
    pub const fn generation(ring: u8) -> Word {
        Word::of_ring(ring, 0)
    }

    /// `Ring::first_sequence`.
    pub const fn first_sequence(ring: u8) -> Word {
        Word::of_ring(ring, 1)
    }

    /// `Ring::first_event`.
    pub const fn first_event(ring: u8) -> Word {
        Word::of_ring(ring, 2)
    }

    /// `Ring::final_tail`.
    pub const fn final_tail(ring: u8) -> Word {
        Word::of_ring(ring, 3)
    }

    /// `Ring::next_event`.
    pub const fn next_event(ring: u8) -> Word {
        Word::of_ring(ring, 4)
    }

    /// `Ring::read`, which readers change together with `next_event`.
    pub const fn read(ring: u8) -> Word {
        Word::of_ring(ring, 5)
    }

    /// `Ring::resets`.
    pub const fn resets(ring: u8) -> Word {
        Word::of_ring(ring, 6)
    }

    /// `Ring::page_count`.
    pub const fn pages(ring: u8) -> Word {
        Word::of_ring(ring, 7)
    }

    /// `BufferHeader::holders`.
    pub const fn holder(place: u8) -> Word {
        Word(FIRST_HOLDER as u8 + place)
    }

    /// `Kept::word` of a ring.
    pub const fn kept(ring: u8) -> Word {
        Word((FIRST_KEPT + ring as usize * KEPT_WORDS) as u8)
    }

    /// `Kept::time` of a ring.
    pub const fn kept_time(ring: u8) -> Word {
        Word::kept(ring).next()
    }

    /// `Kept::size` of a ring.
    pub const fn size(ring: u8) -> Word {
        Word::kept_time(ring).next()
    }

    /// The ring whose page the word is in, if it is in one.
    pub const fn page_of(self) -> Option<u8> {
        let Some(word) = self.index().checked_sub(FIRST_PAGE) else { return None };
        Some((word / (PAGES * PAGE_WORDS)) as u8)
    }

    /// The word after this one: the upper half of 16 bytes.
    pub const fn next(self) -> Word {
        Word(self.0 + 1)
    }

    /// Where it is among all words.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    const fn of_ring(ring: u8, word: usize) -> Word {
        Word((FIRST_RING + ring as usize * RING_WORDS + word) as u8)
    }
}

/// A page of a ring, and the slot that says what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The ring.
    pub ring: u8,
    /// Which of its pages.
    pub index: u8,
}

impl Place {
    /// `Slot::sequence`.
    pub const fn sequence(self) -> Word {
        Word((FIRST_SLOT + self.number() * SLOT_WORDS) as u8)
    }

    /// `Slot::first_event`.
    pub const fn first_event(self) -> Word {
        self.sequence().next()
    }

    /// The page's time stamp.
    pub const fn time_stamp(self) -> Word {
        Word((FIRST_PAGE + self.number() * PAGE_WORDS) as u8)
    }

    /// The page's length, as its header says it.
    pub const fn commit(self) -> Word {
        self.time_stamp().next()
    }

    /// A unit of the page's events.
    pub const fn data(self, unit: Value) -> Word {
        Word(self.commit().0 + 1 + unit as u8)
    }

    /// The page that follows in a ring of `pages`.
    pub const fn after(self, pages: u8) -> Place {
        let index = if self.index + 1 < pages { self.index + 1 } else { 0 };
        Place { ring: self.ring, index }
    }

    const fn number(self) -> usize {
        self.ring as usize * PAGES + self.index as usize
    }
}

/// The tail of a block: `abi::buffer::Tail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail(pub Value);

impl Tail {
    /// The tail at the start of a page.
    pub const fn at(place: Place) -> Tail {
        Tail((place.number() as Value * PAGE_UNITS) << EVENT_BITS)
    }

    /// The tail after one more event of `size` units.
    pub const fn advance(self, size: Value) -> Tail {
        Tail(self.0 + (size << EVENT_BITS | 1))
    }

    /// The tail after `size` more units that are no data event.
    pub const fn extend(self, size: Value) -> Tail {
        Tail(self.0 + (size << EVENT_BITS))
    }

    /// The page. Whatever the word says, there is one.
    pub const fn place(self) -> Place {
        let number = (self.0 >> EVENT_BITS) / PAGE_UNITS % (RINGS * PAGES) as Value;
        Place { ring: (number / PAGES as Value) as u8, index: (number % PAGES as Value) as u8 }
    }

    /// Units of events in the page.
    pub const fn commit(self) -> Value {
        (self.0 >> EVENT_BITS) % PAGE_UNITS
    }

    /// Data events in the page.
    pub const fn events(self) -> Value {
        self.0 & ((1 << EVENT_BITS) - 1)
    }
}

/// `abi::buffer::ring_generation`: what a ring says that has adopted `generation` when it had been reset
/// `resets` times.
pub const fn ring_generation(generation: Value, resets: Value) -> Value {
    generation | resets << 8
}

/// Which of the block's rings is its part in which ring: `abi::buffer::Parts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts(pub Value);

impl Parts {
    const SHIFT: u32 = 5;

    /// The rings in their order.
    pub const FIRST: Parts = Parts((2 << 4 | 1 << 2) << Self::SHIFT);

    /// The newest generation under which anybody has looked.
    pub const fn generation(self) -> Value {
        self.0 & ControlWord::GENERATION
    }

    /// The part in `ring`.
    pub const fn of(self, ring: u8) -> u8 {
        (self.0 >> Parts::place(ring) & 3) as u8
    }

    /// This mapping, looked at under `generation`.
    pub const fn looked_at(self, generation: Value) -> Parts {
        Parts(self.0 & !ControlWord::GENERATION | generation)
    }

    /// Whether somebody has looked under this generation, or a newer one.
    pub const fn is_up_to(self, generation: Value) -> bool {
        !is_newer(generation, self.generation())
    }

    /// This mapping with two rings exchanged.
    pub const fn exchanged(self, one: u8, other: u8) -> Parts {
        let differ = (self.of(one) ^ self.of(other)) as Value;
        Parts(self.0 ^ (differ << Parts::place(one) | differ << Parts::place(other)))
    }

    const fn place(ring: u8) -> u32 {
        Parts::SHIFT + 2 * ring as u32
    }
}

/// Whether a generation came after another. It is one of 32, so what is up to 15 after is older.
pub const fn is_newer(generation: Value, other: Value) -> bool {
    matches!(generation.wrapping_sub(other) & ControlWord::GENERATION, 1..16)
}

/// The control word: `abi::buffer::Control`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ControlWord(pub Value);

impl ControlWord {
    /// Mode: a full ring refuses events.
    pub const NO_OVERWRITE: Value = 1 << 14;
    /// The off-flag. The real word has two, which are treated alike.
    pub const TRACING_OFF: Value = 1 << 15;

    const GENERATION: Value = (1 << 5) - 1;
    pub(crate) const NEXT_EPOCH: Value = 1 << 5;
    pub(crate) const EPOCH: Value = 0b111_1111 << 5;
    const RING_SHIFT: u32 = 12;
    const RING: Value = 0b11 << Self::RING_SHIFT;

    /// The generation, counted from 0.
    pub const fn generation(self) -> Value {
        self.0 & Self::GENERATION
    }

    /// The ring that is live in this generation.
    pub const fn ring(self) -> u8 {
        ((self.0 & Self::RING) >> Self::RING_SHIFT) as u8
    }

    /// Whether the off-flag is set.
    pub const fn is_off(self) -> bool {
        self.0 & Self::TRACING_OFF != 0
    }

    /// Whether a full ring refuses events.
    pub const fn no_overwrite(self) -> bool {
        self.0 & Self::NO_OVERWRITE != 0
    }

    /// The word that starts the next generation in `ring`.
    pub const fn next_generation(self, ring: u8) -> ControlWord {
        let generation = (self.0 + 1) & Self::GENERATION;
        let rest = self.0 & !Self::GENERATION & !Self::RING;
        ControlWord(rest | generation | (ring as Value) << Self::RING_SHIFT)
    }

    /// The word that makes every writer look again and changes nothing else.
    pub const fn next_epoch(self) -> ControlWord {
        ControlWord(self.0 & !Self::EPOCH | (self.0 + Self::NEXT_EPOCH) & Self::EPOCH)
    }
}
