//! What becomes of an event that can't be written.

/// Why an event was not recorded although recording was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// Producer/consumer mode: the reader has not made space.
    Full = 0,
    /// It does not fit a page.
    TooLarge = 1,
    /// Other writers got in between too many times.
    Contended = 2,
    /// A writer without rseq found every lane taken.
    NoLane = 3,
    /// The block's words don't make sense: something else has written to the file.
    Damaged = 4,
    /// The process has not mapped the memory that the buffer was given while it ran, and may not do so now.
    NotMapped = 5,
    /// A thread and its child in the same memory could not be distinguished without a system call, which a
    /// filter may forbid; or it is a child that libc has made so, which has no buffer that it may write to.
    Unidentified = 6,
}

impl DropReason {
    /// All reasons, in the order of [`Block::dropped`](crate::buffer::Block::dropped).
    pub const ALL: [DropReason; 7] = [
        DropReason::Full,
        DropReason::TooLarge,
        DropReason::Contended,
        DropReason::NoLane,
        DropReason::Damaged,
        DropReason::NotMapped,
        DropReason::Unidentified,
    ];

    /// The reason in words.
    pub const fn describe(self) -> &'static str {
        match self {
            DropReason::Full => "the buffer was full",
            DropReason::TooLarge => "larger than a page",
            DropReason::Contended => "too many interruptions in a row",
            DropReason::NoLane => "written without rseq and every lane was taken",
            DropReason::Damaged => "the buffer file was damaged",
            DropReason::NotMapped => "the program could not map the larger buffer",
            DropReason::Unidentified => {
                "of a child in its parent's memory, a sandboxed program that may be one, or a thread with less \
                 than 8 KB of stack"
            }
        }
    }
}
