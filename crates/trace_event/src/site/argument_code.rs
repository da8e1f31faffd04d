//! What the recorder knows of an argument of a printf format, in the word that its site has for it.

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentUse {
    /// A number of so many bytes: 1, 2, 4 or 8.
    Number(u16),
    /// An `int`: how much of the next argument, a text, there is. It is no field.
    Length,
    /// The address of text, of at most so many bytes where that isn't [`UNBOUNDED`].
    Text(u16),
    /// The address of so many bytes.
    Bytes(u16),
    /// The address of as many bytes as the argument before it says.
    CountedBytes,
}

/// More bytes than an event can have.
pub(super) const UNBOUNDED: u16 = 0xfff;

/// An argument: its kind, and where its field lies in a word of the event. 0 is none.
///
/// ```text
/// 15      14    13          12    11     0
/// number  0     0           last  byte: 10 to 8, bytes of a word that it lacks: 5 to 3
/// 0       text  upper half  last  bytes: a text, or a dump, which has some; `UNBOUNDED` if it is counted
/// 0       0     1           0     0        the length of the next one
/// ```
///
/// Whether it is a number is a bit of its own, which is tested before all: an event of numbers is recorded
/// without an indirect jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArgumentCode(u16);

impl ArgumentCode {
    /// The lowest bit of the bytes of a word that a number doesn't have.
    const LACKED: u32 = 3;
    /// The lowest bit of the byte at which a number's field starts.
    const BYTE: u32 = 8;
    /// Bytes of a text or dump.
    const AMOUNT: u16 = UNBOUNDED;
    /// Whether the next field is in another word.
    const LAST: u32 = 12;
    /// Whether the field of a text or dump is in the upper half of its word.
    const UPPER: u32 = 13;
    const LENGTH: u16 = 1 << Self::UPPER;
    const TEXT: u16 = 1 << 14;
    const NUMBER: u16 = 1 << 15;

    pub(super) fn new(kind: ArgumentUse) -> ArgumentCode {
        ArgumentCode(match kind {
            ArgumentUse::Number(size) => Self::NUMBER | 8_u16.saturating_sub(size) << Self::LACKED,
            ArgumentUse::Length => Self::LENGTH,
            ArgumentUse::Text(most) => Self::TEXT | most & Self::AMOUNT,
            // A width of 0 is no width.
            ArgumentUse::Bytes(count) => count.clamp(1, UNBOUNDED - 1),
            ArgumentUse::CountedBytes => UNBOUNDED,
        })
    }

    /// Its field starts at this byte of its word, and whether it is the last there.
    pub(super) fn placed(self, byte: usize, is_last: bool) -> ArgumentCode {
        let byte = byte as u16 & 7;
        let place = if self.is_number() { byte << Self::BYTE } else { (byte / 4) << Self::UPPER };
        ArgumentCode(self.0 | place | u16::from(is_last) << Self::LAST)
    }

    /// As a site has it.
    pub(super) fn word(self) -> u16 {
        self.0
    }

    /// That of a site. None after the last argument.
    #[inline(always)]
    pub(super) fn of(word: u16) -> Option<ArgumentCode> {
        (word != 0).then_some(ArgumentCode(word))
    }

    /// That of an argument which a site has.
    #[inline(always)]
    pub(super) fn known(word: u16) -> ArgumentCode {
        ArgumentCode(word)
    }

    #[inline(always)]
    pub(super) fn is_number(self) -> bool {
        self.0 & Self::NUMBER != 0
    }

    #[inline(always)]
    pub(super) fn is_length(self) -> bool {
        self.0 == Self::LENGTH
    }

    #[inline(always)]
    pub(super) fn is_text(self) -> bool {
        self.0 & Self::TEXT != 0
    }

    /// Bytes of a number: 1, 2, 4 or 8.
    pub(super) fn size(self) -> usize {
        8 - usize::from(self.0 >> Self::LACKED & 7)
    }

    /// As much of a word as the number has.
    #[inline(always)]
    pub(super) fn number(self, word: u64) -> u64 {
        /// What a number has of a word, by bytes that it lacks.
        static KEPT: [u64; 8] = [!0, 0, 0, 0, !0 >> 32, 0, !0 >> 48, !0 >> 56];
        word & KEPT[usize::from(self.0 >> Self::LACKED & 7)]
    }

    /// Whether the argument before a dump says how long that is.
    #[inline(always)]
    pub(super) fn is_counted(self) -> bool {
        self.amount() == usize::from(UNBOUNDED)
    }

    /// Bytes of a text at most, or of a dump.
    #[inline(always)]
    pub(super) fn amount(self) -> usize {
        usize::from(self.0 & Self::AMOUNT)
    }

    /// Bits of the word that are before a number's field.
    #[inline(always)]
    pub(super) fn shift_of_number(self) -> u32 {
        u32::from(self.0 >> Self::BYTE & 7) * 8
    }

    /// Bits of the word that are before the field of a text or dump.
    #[inline(always)]
    pub(super) fn shift_of_place(self) -> u32 {
        u32::from(self.0 >> Self::UPPER & 1) * 32
    }

    /// Words from this field's to the next one's: 0 or 1.
    #[inline(always)]
    pub(super) fn words_to_next(self) -> usize {
        usize::from(self.0 >> Self::LAST & 1)
    }
}
