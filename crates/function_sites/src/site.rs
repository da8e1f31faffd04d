//! A site.

/// What a compiler, or an attribute, has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// Nops at a function's entry, one-byte ones or longer ones; or some of them before it.
    PatchableEntry,
    /// A call of `__fentry__` or `mcount`, or the nop in its place.
    McountCall,
    /// A call of `mcount` that no section lists. It is known to be a call only once it was made: see
    /// [`SiteKind::is_unlisted`].
    UnlistedMcount,
    /// Such a call of `__fentry__`.
    UnlistedFentry,
    /// XRay's sled at a function's entry.
    Sled,
    /// The nop where the body of a `#[lookback::traced]` function begins.
    TracedEntry,
    /// The nop where it ends.
    TracedExit,
    /// An instruction of a function that was not built to be traced. Where it is in the function is to be
    /// planned.
    Instruction,
}

impl SiteKind {
    /// Whether it was found by its bytes alone, which may be there by accident: one in four thousand million
    /// bytes of code. It may be shown, but not be changed before somebody was called from there.
    pub fn is_unlisted(self) -> bool {
        matches!(self, SiteKind::UnlistedMcount | SiteKind::UnlistedFentry)
    }
}

/// A place in a program's code that can be patched, as a section lists it, or as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSite<'a> {
    /// Where it is, in the file's own addresses.
    pub address: u64,
    /// What it is.
    pub kind: SiteKind,
    /// The mangled name of a static within the function, where the site has a name of its own; else empty: it
    /// is in the function that contains it. See
    /// [`SourcePath::of_site`](crate::SourcePath::of_site).
    pub name: &'a [u8],
}
