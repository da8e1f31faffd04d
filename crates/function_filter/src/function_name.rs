//! What a function is called.

/// The names of a function: a rule means it if it fits either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionName<'a> {
    /// As it stands in the file: mangled, for C++ and Rust.
    pub symbol: &'a [u8],
    /// As the source says it, where that is something else.
    pub path: Option<&'a [u8]>,
}

impl FunctionName<'_> {
    /// Whether either of them is what is looked for.
    pub(crate) fn is(self, looked_for: impl Fn(&[u8]) -> bool) -> bool {
        looked_for(self.symbol) || self.path.is_some_and(looked_for)
    }
}

/// A function that has one name.
impl<'a> From<&'a [u8]> for FunctionName<'a> {
    fn from(symbol: &'a [u8]) -> FunctionName<'a> {
        FunctionName { symbol, path: None }
    }
}
