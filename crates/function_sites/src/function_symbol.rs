//! A function's symbol.

/// A function, as the file's table of symbols has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSymbol<'a> {
    /// Its first address, in the file's own addresses.
    pub start: u64,
    /// Its bytes; 0 where the file doesn't say.
    pub size: u64,
    /// Its name, as it stands in the file: mangled.
    pub name: &'a [u8],
    /// Whether programs that are linked now get another one of this name.
    pub is_old: bool,
}

impl FunctionSymbol<'_> {
    /// Whether an address is in it. One without a size has its first address alone.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.size.max(1)
    }
}
