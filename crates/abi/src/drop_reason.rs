//! What becomes of an event that can't be written.

/// Why an event was not recorded although recording was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// Producer/consumer mode: the reader has not made room.
    Full = 0,
    /// It does not fit a page.
    TooLarge = 1,
    /// Other writers got in between too many times.
    Contended = 2,
    /// A writer without rseq found every lane taken.
    NoLane = 3,
    /// The block's words don't make sense: something else has written to the file.
    Damaged = 4,
}

impl DropReason {
    /// All reasons, in the order of [`Block::dropped`](crate::buffer::Block::dropped).
    pub const ALL: [DropReason; 5] = [
        DropReason::Full,
        DropReason::TooLarge,
        DropReason::Contended,
        DropReason::NoLane,
        DropReason::Damaged,
    ];

    /// What a person is told.
    pub const fn describe(self) -> &'static str {
        match self {
            DropReason::Full => "the buffer was full",
            DropReason::TooLarge => "larger than a page",
            DropReason::Contended => "too many interruptions in a row",
            DropReason::NoLane => "written without rseq and every lane was taken",
            DropReason::Damaged => "the buffer file was damaged",
        }
    }
}
