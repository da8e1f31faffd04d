//! Reading a block from its oldest event to its newest, without consuming.

use crate::buffer::Buffer;
use crate::reader::PageCopy;

/// The position of a reader that does not consume. Any number of them read a block at once; writers, other
/// readers and snapshots don't notice.
///
/// It goes on after the last event that it gave, however much has been overwritten meanwhile
/// ([`PageCopy::lost`] says how much). After a clear, or a snapshot, it goes on with what is live then.
#[derive(Debug, Clone, Copy)]
pub struct BufferCursor<'a> {
    buffer: &'a Buffer,
    block: u32,
    position: u64,
}

impl Buffer {
    /// A cursor at the oldest event of a block.
    pub fn cursor(&self, block: u32) -> BufferCursor<'_> {
        self.cursor_at(block, 0)
    }

    /// A cursor at the event of this number, or the oldest after it.
    pub fn cursor_at(&self, block: u32, position: u64) -> BufferCursor<'_> {
        BufferCursor { buffer: self, block, position }
    }
}

impl BufferCursor<'_> {
    /// The next events, at most a page of them, as [`Buffer::read`] gives them. The cursor stays.
    pub fn peek(&self, page: &mut [u8]) -> Option<PageCopy> {
        self.buffer.read(self.block, self.position, page)
    }

    /// The next events, at most a page of them; the cursor goes on after them.
    pub fn advance(&mut self, page: &mut [u8]) -> Option<PageCopy> {
        let taken = self.peek(page)?;
        self.position = taken.next_event();
        Some(taken)
    }

    /// Whether there is nothing more to be read now. Cost: some 20 ns.
    pub fn is_empty(&self) -> bool {
        !self.buffer.has_event_from(self.block, self.position)
    }

    /// Goes back to the oldest event.
    pub fn reset(&mut self) {
        self.position = 0;
    }
}
