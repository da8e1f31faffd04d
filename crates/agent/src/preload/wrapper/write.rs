//! Writing the events of a call with a frame.

use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::wrapper::frame::CallFrame;
use ring_buffer::RecordBuffer;
use trace_event::{enter, is_enabled};

/// Writes an event of these values, if it is enabled, from a call that is under way.
///
/// # Safety
///
/// What the values point to can be read; the frame is that of the call.
#[inline(never)]
pub(crate) unsafe fn write(frame: &CallFrame, event: u16, values: &[FieldValue]) {
    if !is_enabled(event) {
        return;
    }
    if let Some(entered) = enter() {
        let mut words = RecordBuffer::new();
        // SAFETY: the caller's promise.
        unsafe {
            let event = record::fill(&mut words, entered.common(event), values);
            entered.write_called(frame.record(), event);
        }
    }
}
