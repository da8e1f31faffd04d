//! How functions are traced.

use std::fmt::{self, Display, Formatter};

/// How a function is traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracedBy {
    /// By a site that its compiler has left.
    Site,
    /// By a jump in the place of an instruction: so many bytes from its start on, of so many bytes.
    Jump {
        /// From the function's start to the instruction.
        offset: usize,
        /// Its bytes.
        len: usize,
        /// Whether the jump needs padding between functions, too.
        has_padding: bool,
    },
}

impl Display for TracedBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TracedBy::Site => f.write_str("by a site that its compiler has left"),
            TracedBy::Jump { offset, len, has_padding } => {
                let bytes = if *len == 1 { "byte" } else { "bytes" };
                match offset {
                    0 => write!(f, "by a jump in place of its first instruction, of {len} {bytes}")?,
                    _ => write!(f, "by a jump at +{offset:#x}, in place of an instruction of {len} {bytes}")?,
                }
                f.write_str(if *has_padding { ", and of padding" } else { "" })
            }
        }
    }
}
