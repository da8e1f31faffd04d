//! Events of one block that follow one another: a page, or what has come to one since the last look.

use trace_data::page::Page;

/// What the payload of an entry of events says, before the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalPiece<'a> {
    pub(crate) block: u32,
    /// How many there are.
    pub(crate) events: u64,
    /// As the kernel hands it out.
    pub(crate) page: &'a [u8],
}

/// Bytes before the page.
pub(crate) const HEAD: usize = 16;

impl<'a> JournalPiece<'a> {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.page.len());
        bytes.extend(u64::from(self.block).to_le_bytes());
        bytes.extend(self.events.to_le_bytes());
        bytes.extend(self.page);
        bytes
    }

    /// None where the bytes make no sense.
    pub(crate) fn of(bytes: &'a [u8]) -> Option<JournalPiece<'a>> {
        let (block, rest) = bytes.split_first_chunk()?;
        let (events, page) = rest.split_first_chunk()?;
        Page::new(page)?;
        let block = u32::try_from(u64::from_le_bytes(*block)).ok()?;
        Some(JournalPiece { block, events: u64::from_le_bytes(*events), page })
    }
}
