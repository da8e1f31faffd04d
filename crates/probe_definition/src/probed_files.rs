//! What definitions need to know of files.

/// Why a path can't be probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFile {
    /// There is nothing.
    NotFound,
    /// There is something else than a file.
    NotRegular,
}

/// Why a symbol is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSymbol {
    /// The file has none of this name, or it is shorter than the offset.
    NotFound,
    /// Several functions have the name.
    Ambiguous,
}

/// Files that can be probed.
pub trait ProbedFiles {
    /// Whether there is a file at a path.
    fn check(&self, path: &str) -> Result<(), NoFile>;

    /// Where in a file an instruction is: so many bytes after the start of a function.
    fn place(&self, path: &str, symbol: &str, offset: u64) -> Result<u64, NoSymbol>;

    /// Whether a function begins at an offset of a file.
    fn is_entry(&self, path: &str, offset: u64) -> bool;
}
