//! The shortest way of an event into the buffer.

use crate::current;
use crate::entered::KnownThread;
use crate::shared::SharedSession;
use abi::control::{FIRST_ALONE, event_index};
use core::sync::atomic::Ordering::Acquire;
use ring_buffer::{EncodedEvent, ShortEvent, TextEvent};

/// What writes an event that is wanted in the first instance alone. Made before the event is: so the compiler
/// knows what that has, and how long it is.
#[derive(Debug, Clone, Copy)]
pub struct PlainWriter {
    shared: &'static SharedSession,
}

impl PlainWriter {
    /// Writes the event, if the fast path can. Nothing is written if not. Nothing is called for it.
    #[inline(always)]
    pub fn try_write(self, event: EncodedEvent<'_>) -> bool {
        self.shared.writer().try_write(self.shared.area_of_writer(), event)
    }

    /// As [`PlainWriter::try_write`], of an event in registers; with this time, [`call_ticks`], if one is
    /// given.
    ///
    /// [`call_ticks`]: crate::call_ticks
    #[inline(always)]
    pub fn try_write_short<const LEN: usize>(self, event: ShortEvent<LEN>, ticks: Option<u64>) -> bool {
        self.shared.writer().try_write_short(self.shared.area_of_writer(), event, ticks)
    }

    /// As [`PlainWriter::try_write`], of an event in registers that ends with a text.
    #[inline(always)]
    pub(crate) fn try_write_text<const START: usize>(self, event: TextEvent<START>) -> bool {
        self.shared.writer().try_write_text(self.shared.area_of_writer(), event)
    }

    /// As [`PlainWriter::try_write`], with this time: [`call_ticks`](crate::call_ticks).
    #[inline(always)]
    pub fn try_write_at(self, ticks: u64, event: EncodedEvent<'_>) -> bool {
        self.shared.writer().try_write_read(self.shared.area_of_writer(), event, ticks)
    }
}

impl KnownThread {
    /// What writes an event, if that is all there is to do: it is wanted in the first instance alone, where
    /// no option and no PID filter concerns it. Nothing is called for it.
    #[inline(always)]
    pub fn plain_writer(self, event_id: u16) -> Option<PlainWriter> {
        // Its words are not aside, so that its area is its own.
        // SAFETY: the thread is known in the session.
        let shared = unsafe { current::known() };
        let word = &shared.control.enabled_words()[event_index(event_id)];
        let is_plain = word.load(Acquire) == FIRST_ALONE;
        (is_plain && !shared.is_left_out()).then_some(PlainWriter { shared })
    }
}
