//! The code of a function.

/// A function's instructions, as its file has them.
#[derive(Debug, Clone, Copy)]
pub struct FunctionCode<'a> {
    /// Where it begins.
    pub start: u64,
    /// From its first byte to its last.
    pub code: &'a [u8],
}

impl<'a> FunctionCode<'a> {
    /// What it has from an offset on. Nothing after its end.
    pub(crate) fn from(&self, offset: usize) -> &'a [u8] {
        self.code.get(offset..).unwrap_or_default()
    }

    /// The address of an offset.
    pub(crate) fn address(&self, offset: usize) -> u64 {
        self.start.wrapping_add(offset as u64)
    }
}
