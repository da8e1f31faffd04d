//! The event of a new process or thread.

use crate::preload::record;
use crate::preload::record::value::FieldValue;
use events::sched;
use trace_event::Parent;

/// Records that `parent` has made the calling thread. As the kernel has it, it is the parent's event; but it
/// is the child that records it, so it comes before anything else that the child records.
pub(crate) fn record_fork(parent: Parent) {
    if !trace_event::is_enabled(sched::FORK_ID) {
        return;
    }
    let Some(entered) = trace_event::enter() else { return };
    // It has its parent's name until it gets one of its own.
    let values = [
        FieldValue::text(parent.comm.as_ptr()),
        FieldValue::Half(parent.tid),
        FieldValue::text(parent.comm.as_ptr()),
        FieldValue::Half(entered.tid() as u32),
    ];
    let common = abi::common::word(sched::FORK_ID, 0, 0, parent.tid as i32);
    // SAFETY: names end with a zero byte.
    unsafe { record::write_as(entered, common, &values) };
}
