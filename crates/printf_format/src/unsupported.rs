//! What a format can't have.

/// What a format has that no event can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsupported {
    /// The character at which it was found: a conversion's letter, in most cases; a zero byte at the end.
    pub letter: char,
}
