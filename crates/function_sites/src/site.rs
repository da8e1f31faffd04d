//! A site.

/// What a compiler has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// Nops at a function's entry, one-byte ones or longer ones.
    PatchableEntry,
    /// A call of `__fentry__` or `mcount`, or the nop in its place.
    McountCall,
}

impl SiteKind {
    /// All of them.
    pub const ALL: [SiteKind; 2] = [SiteKind::PatchableEntry, SiteKind::McountCall];

    /// The section that lists the addresses of such sites.
    pub const fn section(self) -> &'static str {
        match self {
            SiteKind::PatchableEntry => "__patchable_function_entries",
            SiteKind::McountCall => "__mcount_loc",
        }
    }
}

/// A place in a program's code that can be patched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSite {
    /// Where it is, in the file's own addresses.
    pub address: u64,
    /// What it is.
    pub kind: SiteKind,
}
