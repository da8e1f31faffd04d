//! Why a site can't be switched.

use crate::site_code::SiteCode;
use core::fmt::{Display, Formatter, Result};

/// Why no plan can be made for a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes there are none that a compiler leaves for a tracer. These are they.
    Unknown(SiteCode),
    /// There are nops, but fewer bytes of them than a call needs.
    TooShort(usize),
    /// The code to call is more than 2 GiB away.
    TooFar,
    /// A call through a pointer lies in two words, so it can only be switched to where it goes already.
    IndirectInTwoWords,
    /// Nops don't call anything, so there has to be something for them to call.
    NoTarget,
    /// An instruction whose bytes lie in two words, so no one store changes them.
    InTwoWords,
    /// A jump there would need other bytes than those that follow the instruction.
    OtherBytes,
    /// A sled at an odd address, so its first two bytes may lie in two words.
    OddSled,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Refusal::Unknown(code) => write!(f, "no call site of a compiler: {code}"),
            Refusal::TooShort(1) => write!(f, "1 byte of nops, and a call takes 5"),
            Refusal::TooShort(bytes) => write!(f, "{bytes} bytes of nops, and a call takes 5"),
            Refusal::TooFar => write!(f, "the code to call is more than 2 GiB away"),
            Refusal::IndirectInTwoWords => {
                write!(f, "an indirect call in two words can't be made to call other code")
            }
            Refusal::NoTarget => write!(f, "nops have no code to call"),
            Refusal::InTwoWords => write!(f, "an instruction that lies in two words"),
            Refusal::OtherBytes => write!(f, "the bytes after it lead a jump to another place"),
            Refusal::OddSled => write!(f, "a sled at an odd address"),
        }
    }
}
