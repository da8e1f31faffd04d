//! Consuming up to an event, for readers that have looked first.
//!
//! [`Buffer::consume`] hands a page out and consumes it in one step: what its caller has not dealt with when
//! it is killed is lost. A reader that must lose nothing reads without consuming, deals with the events, and
//! says then how far it has come.

use crate::buffer::Buffer;
use crate::reader::move_reader;
use crate::view::{Generation, View};
use core::sync::atomic::Ordering::Acquire;
use core::sync::atomic::fence;

/// What a block has for consuming readers, by the numbers of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// The first that was not consumed. It may have been overwritten.
    pub start: u64,
    /// The first that was neither consumed nor overwritten.
    pub oldest: u64,
    /// After the last.
    pub end: u64,
}

/// Somebody else has consumed events, or the block's events are those of another generation by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved;

impl core::fmt::Display for Moved {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the buffer's events were consumed or cleared by somebody else")
    }
}

impl core::error::Error for Moved {}

impl Buffer {
    /// What a block has for consuming readers. None where that is nothing at all: its events were cleared, or
    /// are those of a snapshot.
    // Acquire: pairs with the compare-exchange of consumers, and with adoption (R8). The fence puts what the
    // caller has looked at before the numbers of the pages, which say whether it was overwritten (R4).
    pub fn unread(&self, block: u32) -> Option<Unread> {
        fence(Acquire);
        let view = View::of(self, self.block(block)?, Generation::Live)?;
        let start = view.ring.next_event.load(Acquire).max(view.first_event);
        // Where even the page under the tail was overwritten, writers are a lap ahead of the view.
        let oldest = view.oldest(self).map_or(view.end(), |(_, oldest)| oldest);
        Some(Unread { start, oldest: oldest.max(start), end: view.end() })
    }

    /// Consumes the events from number `start`, which nobody has consumed yet ([`Unread::start`]), to before
    /// number `to`: no other reader gets them. `lost` of them the caller has not had: they count as
    /// overwritten. Nothing is consumed where `to` is after the last event, or not after `start`.
    ///
    /// # Errors
    ///
    /// [`Moved`], and nothing was consumed.
    // Acquire: as for `try_consume`.
    pub fn consume_to(&self, block: u32, start: u64, to: u64, lost: u64) -> Result<(), Moved> {
        let block = self.block(block).ok_or(Moved)?;
        let view = View::of(self, block, Generation::Live).ok_or(Moved)?;
        let next_event = view.ring.next_event.load(Acquire);
        let read = view.ring.read.load(Acquire);
        if next_event.max(view.first_event) != start {
            return Err(Moved);
        }
        let Some(count) = to.checked_sub(start).filter(|count| *count > 0 && to <= view.end()) else {
            return Ok(());
        };
        let had = count.saturating_sub(lost);
        let is_moved = move_reader(view.ring, (next_event, read), (to, read.wrapping_add(had)));
        is_moved.then_some(()).ok_or(Moved)
    }
}
