//! A site.

/// What a compiler, or an attribute, has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// Nops at a function's entry, one-byte ones or longer ones.
    PatchableEntry,
    /// A call of `__fentry__` or `mcount`, or the nop in its place.
    McountCall,
    /// XRay's sled at a function's entry.
    Sled,
    /// The nop where the body of a `#[lookback::traced]` function begins or ends.
    Traced,
}

/// Where a site is in its function: by that, whoever is called there knows what is on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitePlace {
    /// At the first instruction, or after the `endbr64` that is the first: the function's return address is
    /// on top of the stack, and its arguments are where its caller has put them.
    FirstInstruction,
    /// After the function has set up its frame: `rbp` leads to the caller's `rbp` and, above that, to the
    /// return address. Arguments are still where its caller has put them.
    AfterPrologue,
    /// Where the body begins, anywhere in a function, which may be another one that this one was inlined
    /// into. The return address is at no fixed place.
    InsideEntry,
    /// Where the body ends.
    InsideExit,
}

/// A place in a program's code that can be patched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSite<'a> {
    /// Where it is, in the file's own addresses.
    pub address: u64,
    /// What it is.
    pub kind: SiteKind,
    /// Where it is in its function.
    pub place: SitePlace,
    /// The mangled name of a static within the function, where the site has a name: of a site without one
    /// the symbol that contains it is the function's.
    pub name: &'a [u8],
}
