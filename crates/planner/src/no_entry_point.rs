//! Why a function can't be made to jump.

use core::fmt::{Display, Formatter, Result};

/// Why there is no place in a function that can be changed while threads are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEntryPoint {
    /// Its bytes are not all instructions that the decoder knows.
    Unknown,
    /// A branch of its own leads to its first instruction, so that isn't executed once for each call.
    Loop,
    /// Up to the first branch or call all instructions lie in two words, or too near the end, and no padding
    /// is near.
    TwoWords,
}

impl Display for NoEntryPoint {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            NoEntryPoint::Unknown => "not all of its bytes are instructions that are known",
            NoEntryPoint::Loop => "a branch of its own leads to its first instruction",
            NoEntryPoint::TwoWords => {
                "up to its first branch or call no instruction lies in one word, and no padding is near"
            }
        })
    }
}
