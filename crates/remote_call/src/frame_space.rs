//! Where a stopped thread has space for a frame by which it gets its registers back.

use crate::go_thread::GoThread;
use crate::load_plan::LoadPlan;
use crate::stopped::{Stopped, ThreadFailure};
use std::ops::Range;

/// Bytes that a function may use below its thread's stack pointer.
pub(crate) const RED_ZONE: u64 = 128;

/// Where a thread has space for a frame: below its stack pointer. Of Go it has none there, but where its
/// handlers of signals run.
pub(crate) fn space_for_frame(
    plan: &LoadPlan<'_>,
    stopped: &Stopped<'_>,
) -> Result<Option<Range<u64>>, ThreadFailure> {
    let stack = stopped.found.rsp;
    if plan.is_of_go {
        let thread = GoThread::of(&plan.target, stopped.tid(), &stopped.found)?;
        return Ok(thread.map(|thread| thread.handler_stack));
    }
    let mapping = plan.target.mapping(stack).filter(|mapping| mapping.is_writable);
    Ok(mapping.map(|mapping| mapping.addresses.start..stack - RED_ZONE))
}
