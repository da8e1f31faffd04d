//! A mangled name as it is read.

/// The deepest that parts of a name lie in each other.
const DEEPEST: u32 = 32;

/// A mangled name, and what of it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct MangledText<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> MangledText<'a> {
    /// At the start of a name.
    pub(super) fn new(bytes: &'a [u8]) -> MangledText<'a> {
        MangledText { bytes, at: 0, depth: 0 }
    }

    /// What comes next; 0 at the end.
    pub(super) fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// What comes after that.
    pub(super) fn peek_second(&self) -> u8 {
        self.bytes.get(self.at + 1).copied().unwrap_or(0)
    }

    /// What was not read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Another place in the same name, which must be an earlier one.
    pub(super) fn back_to(&self, at: usize) -> Option<MangledText<'a>> {
        (at < self.at).then_some(MangledText { at, ..*self })
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Whether these bytes come next: then they are read.
    pub(super) fn take(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.rest().starts_with(bytes);
        if is_next {
            self.at += bytes.len();
        }
        is_next
    }

    /// So many bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let found = self.rest().get(..count)?;
        self.at += count;
        Some(found)
    }

    /// A decimal number.
    pub(super) fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = usize::from(self.next()? - b'0');
            number = Some(number.unwrap_or(0_usize).checked_mul(10)?.checked_add(digit)?);
        }
        number
    }

    /// `LENGTH NAME`.
    pub(super) fn source_name(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?;
        self.bytes(len).filter(|name| !name.is_empty())
    }

    /// Goes into a part of the name. None where that would be too deep.
    pub(super) fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth < DEEPEST).then_some(())
    }

    /// Leaves that part again.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
