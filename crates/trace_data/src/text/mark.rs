//! Marks for what takes long.

/// Nanoseconds from which on something is marked, and how. The most first.
const MARKS: [(u64, char); 6] = [
    (1_000_000_000, '$'),
    (100_000_000, '@'),
    (10_000_000, '*'),
    (1_000_000, '#'),
    (100_000, '!'),
    (10_000, '+'),
];

/// The mark of so many nanoseconds.
pub(super) fn mark(nanoseconds: u64) -> char {
    MARKS.into_iter().find(|(least, _)| nanoseconds > *least).map_or(' ', |(_, mark)| mark)
}
