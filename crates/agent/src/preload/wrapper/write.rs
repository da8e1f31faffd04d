//! Writing the events of a call with a frame.

use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::wrapper::frame::CallFrame;
use ring_buffer::RecordBuffer;
use trace_event::{CallRecord, enter, is_enabled};

/// Writes an event of these values at `time`, if it is enabled, from a call that is under way.
///
/// # Safety
///
/// What the values point to can be read; the frame is that of the call.
#[inline(never)]
pub(crate) unsafe fn write(frame: &CallFrame, time: u64, event: u16, values: &[FieldValue]) {
    if !is_enabled(event) {
        return;
    }
    if let Some(entered) = enter() {
        let mut words = RecordBuffer::new();
        // SAFETY: the caller's promise.
        unsafe {
            let event = record::fill(&mut words, entered.common(event), values);
            entered.write_called(CallRecord { frame: frame.record(), time }, event);
        }
    }
}
