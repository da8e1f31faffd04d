//! Why there can be no probe at an instruction.

use core::fmt::{Display, Formatter, Result};

/// Why an instruction can't be replaced by a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoProbePoint {
    /// Up to there not all bytes are instructions that the decoder knows.
    Unknown,
    /// None begins there.
    NotAnInstruction,
    /// It is a branch or a call, or calls the kernel: those are not moved.
    Flow,
    /// It lies in two words, or too near the function's end, so it can't be replaced while threads are there.
    TwoWords,
}

impl Display for NoProbePoint {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            NoProbePoint::Unknown => "not all bytes before it are instructions that are known",
            NoProbePoint::NotAnInstruction => "no instruction begins there",
            NoProbePoint::Flow => "it is a branch, a call or a system call, which can't be moved",
            NoProbePoint::TwoWords => "it lies in two words, or at the function's end",
        })
    }
}
