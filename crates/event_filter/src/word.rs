//! The words of a program.
//!
//! An instruction tests something and either jumps or goes on to the next one. It is a head, a word with a
//! value, and operands:
//!
//! ```text
//! head     0        8         16        32        48          64
//!          | test   | variant | offset  | target  | operands  |
//! value    the number to compare with; of a text its length in the record's field and that of the pattern
//! operands the pattern's bytes, eight in a word; or CPUs, a range in each word (first, last << 32)
//! ```
//!
//! `target` counts words from the program's start and is after the instruction. `operands` counts the words
//! after the value. The end of a way through the program is an [`Test::Outcome`], a head alone. An
//! instruction that jumps to where records are refused, and after which they pass, says so: then nobody has
//! to look there ([`Head::is_last`]).

/// The most words of a program: more than any text that `Filter::compile` takes can need.
pub const MAX_WORDS: usize = 4096;

/// The most bytes of a filter's text: what the kernel takes in one write(2) is less than a page.
pub const MAX_TEXT: usize = 4095;

/// The most bytes of a string or pattern that a field is compared with: the kernel's limit.
pub const MAX_PATTERN: usize = 255;

/// CPUs are numbered below this: the kernel's own limit.
pub const MAX_CPUS: u32 = 8192;

/// Words in front of an instruction's operands.
pub(crate) const FIXED: usize = 2;

/// What an instruction tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Test {
    /// Nothing: the record passes if the variant is 1, else it doesn't.
    Outcome = 1,
    /// Nothing: false.
    Never,
    /// A number in the record.
    Number,
    /// The CPU's number.
    Cpu,
    /// A string.
    Text,
    /// A number in the record, among CPUs.
    NumberInSet,
    /// The CPU, among CPUs.
    CpuInSet,
    /// A mask of CPUs that the record has, with CPUs.
    MaskAndSet,
}

impl Test {
    #[inline(always)]
    fn of(byte: u8) -> Option<Test> {
        Some(match byte {
            1 => Test::Outcome,
            2 => Test::Never,
            3 => Test::Number,
            4 => Test::Cpu,
            5 => Test::Text,
            6 => Test::NumberInSet,
            7 => Test::CpuInSet,
            8 => Test::MaskAndSet,
            _ => return None,
        })
    }
}

/// How two numbers or sets are compared. Of those but the last the bits say when it is true: bit 0 where the
/// first is less, bit 1 where they are equal, bit 2 where it is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Comparison {
    /// `<`
    Less = 0b001,
    /// `==`
    Equal = 0b010,
    /// `<=`
    LessOrEqual = 0b011,
    /// `>`
    Greater = 0b100,
    /// `!=`
    NotEqual = 0b101,
    /// `>=`
    GreaterOrEqual = 0b110,
    /// `&`: a bit, or a CPU, in common.
    And = 0b111,
}

impl Comparison {
    #[inline(always)]
    fn of(bits: u8) -> Option<Comparison> {
        Some(match bits {
            0b001 => Comparison::Less,
            0b010 => Comparison::Equal,
            0b011 => Comparison::LessOrEqual,
            0b100 => Comparison::Greater,
            0b101 => Comparison::NotEqual,
            0b110 => Comparison::GreaterOrEqual,
            0b111 => Comparison::And,
            _ => return None,
        })
    }
}

/// Where a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StringPlace {
    /// In the field itself.
    Array,
    /// Where the field says, from the record's start (`__data_loc`).
    Location,
    /// Where the field says, from the field's end (`__rel_loc`).
    RelativeLocation,
    /// Where the field points to.
    Pointer,
    /// The task's name.
    Comm,
}

impl StringPlace {
    const ALL: [StringPlace; 5] = [
        StringPlace::Array,
        StringPlace::Location,
        StringPlace::RelativeLocation,
        StringPlace::Pointer,
        StringPlace::Comm,
    ];
}

/// The head of an instruction, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What is tested.
    pub test: Test,
    /// How, in bits: see the methods.
    pub variant: u8,
    /// Bytes from the record's start to the field.
    pub offset: u16,
    /// Where it goes on if the test has the result that [`Head::jumps_when`] says.
    pub target: u16,
    /// Words after the value.
    pub operands: u16,
}

/// Bits of a variant: the comparison or place in the low three, then what the rest says.
const LOW: u8 = 0b111;
const SIZE_SHIFT: u32 = 3;
const SIGNED: u8 = 1 << 5;
const PATTERN: u8 = 1 << 3;
const NEGATED: u8 = 1 << 4;
const LAST: u8 = 1 << 6;
const JUMPS_WHEN: u8 = 1 << 7;

impl Head {
    /// A head for a test, with nothing else in it yet.
    #[cfg(feature = "compile")]
    pub(crate) fn new(test: Test, offset: u16, variant: u8) -> Head {
        Head { test, variant, offset, target: 0, operands: 0 }
    }

    /// A variant: a number of `1 << size_log2` bytes, signed or not.
    #[cfg(feature = "compile")]
    pub(crate) fn number(comparison: Comparison, size_log2: u8, signed: bool) -> u8 {
        comparison as u8 | size_log2 << SIZE_SHIFT | if signed { SIGNED } else { 0 }
    }

    /// A variant: a string, equal to or like a pattern, or not so.
    #[cfg(feature = "compile")]
    pub(crate) fn text(place: StringPlace, pattern: bool, negated: bool) -> u8 {
        place as u8 | if pattern { PATTERN } else { 0 } | if negated { NEGATED } else { 0 }
    }

    /// This head, of an instruction that [is the last](Head::is_last).
    #[cfg(feature = "compile")]
    pub(crate) fn ending(self) -> Head {
        Head { variant: self.variant | LAST, ..self }
    }

    /// This head, with a jump.
    #[cfg(feature = "compile")]
    pub(crate) fn jumping(self, when: bool, operands: u16) -> Head {
        Head { variant: self.variant | if when { JUMPS_WHEN } else { 0 }, operands, ..self }
    }

    /// The word.
    pub fn encode(self) -> u64 {
        u64::from(self.test as u8)
            | u64::from(self.variant) << 8
            | u64::from(self.offset) << 16
            | u64::from(self.target) << 32
            | u64::from(self.operands) << 48
    }

    /// The head that a word is. None for one that tests nothing known.
    #[inline]
    pub fn decode(word: u64) -> Option<Head> {
        Some(Head {
            test: Test::of(word as u8)?,
            variant: (word >> 8) as u8,
            offset: (word >> 16) as u16,
            target: (word >> 32) as u16,
            operands: (word >> 48) as u16,
        })
    }

    /// The bits of [`Comparison`]: with which order of two numbers it is true. 0, which is no comparison, is
    /// never true.
    #[inline]
    pub(crate) fn orders(self) -> u8 {
        self.variant & LOW
    }

    /// How numbers or sets are compared. None for bits that are no comparison.
    #[inline]
    pub fn comparison(self) -> Option<Comparison> {
        Comparison::of(self.orders())
    }

    /// Where the string is. None for bits that are no place.
    #[inline]
    pub fn place(self) -> Option<StringPlace> {
        StringPlace::ALL.get(usize::from(self.variant & LOW)).copied()
    }

    /// Bytes of the number, as a power of two.
    #[inline]
    pub fn size_log2(self) -> u8 {
        self.variant >> SIZE_SHIFT & 0b11
    }

    /// Whether the number is signed.
    #[inline]
    pub fn is_signed(self) -> bool {
        self.variant & SIGNED != 0
    }

    /// Whether the string is compared with a pattern rather than with a string.
    #[inline]
    pub fn is_pattern(self) -> bool {
        self.variant & PATTERN != 0
    }

    /// Whether the result for a string is turned round.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.variant & NEGATED != 0
    }

    /// Whether the record is refused where it jumps, and passes where it doesn't.
    #[inline]
    pub fn is_last(self) -> bool {
        self.variant & LAST != 0
    }

    /// The result with which it jumps.
    #[inline]
    pub fn jumps_when(self) -> bool {
        self.variant & JUMPS_WHEN != 0
    }

    /// Words of the instruction.
    #[inline]
    pub fn words(self) -> usize {
        if self.test == Test::Outcome { 1 } else { FIXED + usize::from(self.operands) }
    }
}

/// Whether a program that starts with this head is one comparison of a number.
#[inline]
pub(crate) fn is_single_comparison(head: u64) -> bool {
    const LAST_NUMBER: u64 = Test::Number as u64 | (LAST as u64) << 8;
    const MASK: u64 = 0xff | (LAST as u64) << 8;
    head & MASK == LAST_NUMBER
}

/// The value word of a text: bytes of the field and of the pattern.
#[inline]
pub(crate) fn text_lengths(value: u64) -> (usize, usize) {
    ((value & 0xffff) as usize, (value >> 32 & 0xffff) as usize)
}
