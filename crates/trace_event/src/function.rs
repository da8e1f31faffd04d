//! Recording calls of functions: to which instances, and whose.
//!
//! A tracer's events have PID filters of their own, and no triggers. Which instances want a function is known
//! where it is called.

use crate::current;
use crate::entered::{CallRecord, Entered, FrameRecord};
use crate::recorder::{listed_as, passes};
use crate::sections::is_outside_sections;
use crate::shared::SharedSession;
use abi::instance::{
    ARGUMENTS, FUNCTION_NOT_PIDS, FUNCTION_PIDS, FUNCTION_STACKS, GRAPH_ARGUMENTS, IN_SECTIONS, NO_HANDLERS,
    NO_REPEATS, RETURN_ADDRESSES,
};
use control::ControlArea;
use event_trigger::DueAction;
use events::ftrace::FUNCTION_ID;
use ring_buffer::{EncodedEvent, Writer};
use trigger_effect::Stage;

/// An instance that a tracer writes to.
#[derive(Debug, Clone, Copy)]
pub struct TracingInstance {
    entered: Entered,
    shared: &'static SharedSession,
    instance: usize,
    writer: &'static Writer,
    is_filtered: bool,
    is_alone: bool,
    flags: u32,
}

impl Entered {
    /// Whether an instance's PID filters of functions keep the thread out.
    #[inline]
    pub fn is_kept_out(self, control: &ControlArea, instance: usize) -> bool {
        let flags = control.instance_flags(instance) & (FUNCTION_PIDS | FUNCTION_NOT_PIDS);
        flags != 0 && control.ignores_functions(instance, flags, listed_as(self.tid() as u32))
    }

    /// Calls `visit` for each instance in which a tracer's event is enabled, but not for those whose PID
    /// filters of functions keep the calling thread out, nor for those where it would have to be in a
    /// section.
    pub fn visit_tracing(self, event_id: u16, visit: &mut dyn FnMut(TracingInstance)) {
        let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return };
        let switched = shared.control.switched(event_id);
        let is_alone = switched.on.iter().take(2).count() < 2;
        switched.on.for_each(|instance| {
            let control = &shared.control;
            if self.is_kept_out(control, instance) || is_outside_sections(control, instance) {
                return;
            }
            let flags = flags_of_calls(control, instance);
            // First: its filters are mapped with its buffer.
            if let Some(writer) = shared.writer_of(instance) {
                let is_filtered = switched.filtered.contains(instance);
                visit(TracingInstance {
                    entered: self,
                    shared,
                    instance,
                    writer,
                    is_filtered,
                    is_alone,
                    flags,
                });
            }
        });
    }

    /// Does in an instance what the command of a function says that the thread calls. Stacks begin with the
    /// function, which has called one with this frame.
    ///
    /// # Safety
    ///
    /// That one has not returned.
    #[cold]
    #[inline(never)]
    pub unsafe fn act(self, instance: usize, due: DueAction, frame: *const FrameRecord) {
        let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return };
        if !shared.control.has_commands(instance) {
            return;
        }
        let Some(writer) = shared.writer_of(instance) else { return };
        let first_word = self.common(FUNCTION_ID);
        let stage = Stage { control: &shared.control, buffer: writer.buffer(), instance, first_word };
        // Stacks have no time of their own.
        let call = CallRecord { frame, time: 0 };
        stage.act(due, Some(&|| self.write_stack(shared, Some(call), instance, writer)));
    }
}

/// The flags of an instance that say how calls are recorded there. Latency tracers don't have the options of
/// those of functions.
pub fn flags_of_calls(control: &ControlArea, instance: usize) -> u32 {
    const OPTIONS: u32 =
        ARGUMENTS | FUNCTION_STACKS | NO_REPEATS | GRAPH_ARGUMENTS | RETURN_ADDRESSES | NO_HANDLERS;
    let flags = control.instance_flags(instance);
    if flags & IN_SECTIONS == 0 { flags } else { flags & !OPTIONS }
}

impl TracingInstance {
    /// Its index.
    pub fn index(self) -> usize {
        self.instance
    }

    /// Whether it is the only one in which the event is enabled.
    pub fn is_alone(self) -> bool {
        self.is_alone
    }

    /// Whether it has one of these [flags](abi::instance::FUNCTION_FLAGS).
    pub fn has(self, flags: u32) -> bool {
        self.flags & flags != 0
    }

    /// Writes an event. Whether it is there.
    pub fn write(self, event: EncodedEvent<'_>) -> bool {
        if self.is_filtered && !passes(self.shared, self.instance, event) {
            return false;
        }
        self.entered.commit(self.shared, None, (self.instance, self.writer), event)
    }

    /// Writes an event that has this time, a reading of [`call_time`](crate::call_time), if nothing that was
    /// written meanwhile has a later one.
    pub fn write_at(self, time: u64, event: EncodedEvent<'_>) -> bool {
        let call = CallRecord { frame: core::ptr::null(), time };
        self.entered.commit(self.shared, Some(call), (self.instance, self.writer), event)
    }

    /// Writes the calling thread's stack, from the function on that has called one with this frame.
    ///
    /// # Safety
    ///
    /// That one has not returned.
    pub unsafe fn write_stack(self, frame: *const FrameRecord) {
        let call = CallRecord { frame, time: 0 };
        self.entered.write_stack(self.shared, Some(call), self.instance, self.writer);
    }
}
