//! The bytes of a few instructions.

use core::fmt::{Debug, Display, Formatter, Result};

/// The bytes of a call site: one instruction, or a few.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SiteCode {
    bytes: [u8; SiteCode::MOST],
    len: u8,
}

impl SiteCode {
    /// The most bytes that one has: as many as a sled of XRay.
    pub const MOST: usize = 11;

    /// Without bytes.
    pub const EMPTY: SiteCode = SiteCode { bytes: [0; SiteCode::MOST], len: 0 };

    /// These bytes; no more than [`SiteCode::MOST`] of them.
    pub fn new(bytes: &[u8]) -> SiteCode {
        SiteCode::EMPTY.with(bytes)
    }

    /// These bytes after what it has, as far as there is space.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> SiteCode {
        let space = self.bytes.iter_mut().skip(self.len as usize);
        for (place, byte) in space.zip(bytes) {
            *place = *byte;
            self.len += 1;
        }
        self
    }

    /// With `byte` in the place of the one at `at`.
    #[must_use]
    pub fn with_byte(mut self, at: usize, byte: u8) -> SiteCode {
        if let Some(place) = self.bytes.get_mut(at) {
            *place = byte;
        }
        self
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len()).unwrap_or_default()
    }

    /// How many it has.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Display for SiteCode {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (index, byte) in self.bytes().iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{byte:02x}")?;
        }
        Ok(())
    }
}

impl Debug for SiteCode {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        Display::fmt(self, f)
    }
}
