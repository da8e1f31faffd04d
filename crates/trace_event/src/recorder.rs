//! Recording an event: to which instances, past which filters and triggers.

use crate::current;
use crate::enabled::{enabled_word, use_no_words};
use crate::entered::{CallRecord, Entered};
use crate::here::CallingThread;
use crate::shared::SharedSession;
use crate::thread;
use abi::control::{FIRST_ALONE, is_filter_word};
use abi::instance::{NOT_PIDS, PIDS, RECORDING, STACKS};
use control::{InstanceSet, Switched, is_placeholder};
use core::sync::atomic::Ordering::Acquire;
use ring_buffer::{EncodedEvent, NotWritten, Writer};
use trigger_effect::Stage;

impl Entered {
    /// Writes an event whose first word is [`Entered::common`]'s, if the event's filter lets it pass. One
    /// body for all events: what is written often stays in the cache. What can't be written is counted in
    /// the buffer; what a filter refuses is not.
    ///
    /// If its stack is recorded, it starts here; readers leave the agent's frames out.
    #[inline(never)]
    pub fn write(self, event: EncodedEvent<'_>) {
        self.write_event(None, event);
    }

    /// Writes an event to instances of several in which it is enabled, past no filter and no trigger. It has
    /// the time of a reading of [`call_time`](crate::call_time), if nothing that was written meanwhile has a
    /// later one. Where it is written.
    #[inline(always)]
    pub fn write_at(self, time: u64, event: EncodedEvent<'_>, instances: InstanceSet) -> InstanceSet {
        let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else {
            return InstanceSet::default();
        };
        let event_id = abi::common::event(event.first_word());
        if instances == InstanceSet::FIRST && enabled_word(event_id).load(Acquire) == FIRST_ALONE {
            let call = CallRecord { frame: core::ptr::null(), time };
            let is_written = self.commit(shared, Some(call), (RECORDING, shared.writer()), event);
            return if is_written { instances } else { InstanceSet::default() };
        }
        self.write_to_each(shared, time, event, instances)
    }

    #[cold]
    #[inline(never)]
    fn write_to_each(
        self,
        shared: &'static SharedSession,
        time: u64,
        event: EncodedEvent<'_>,
        instances: InstanceSet,
    ) -> InstanceSet {
        let call = CallRecord { frame: core::ptr::null(), time };
        let on = shared.control.switched(abi::common::event(event.first_word())).on;
        let is_written = |instance: &usize| {
            let writer = shared.writer_of(*instance).filter(|_| on.contains(*instance));
            writer.is_some_and(|writer| self.commit(shared, Some(call), (*instance, writer), event))
        };
        instances.iter().filter(is_written).fold(InstanceSet::default(), InstanceSet::with)
    }

    /// Writes an event of a call, from a function that keeps a frame pointer and that the program has called:
    /// stacks start with its caller. The event has the call's time, if nothing that was written meanwhile has
    /// a later one.
    ///
    /// # Safety
    ///
    /// The frame is the function's record, and it has not returned.
    #[inline(never)]
    pub unsafe fn write_called(self, call: CallRecord, event: EncodedEvent<'_>) {
        self.write_event(Some(call), event);
    }

    #[inline(always)]
    fn write_event(self, call: Option<CallRecord>, event: EncodedEvent<'_>) {
        let Some(shared) = current::shared() else { return };
        if shared.is_left_out() {
            // Calls then cost nothing; sites of the program's own come here each time.
            return use_no_words();
        }
        let event_id = abi::common::event(event.first_word());
        // What it leads to was there before.
        let word = enabled_word(event_id).load(Acquire);
        if word != FIRST_ALONE {
            if !is_filter_word(word) {
                return self.write_to_instances(shared, call, event_id, event);
            }
            if !passes_first(shared, word, event_id, event) {
                return;
            }
        }
        self.commit(shared, call, (RECORDING, shared.writer()), event);
    }

    /// Writes an event to the buffer of an instance, `writer`'s. Whether it is there.
    #[inline(always)]
    pub(crate) fn commit(
        self,
        shared: &'static SharedSession,
        call: Option<CallRecord>,
        (instance, writer): (usize, &'static Writer),
        event: EncodedEvent<'_>,
    ) -> bool {
        let thread = self.thread(shared);
        let written = match call {
            Some(call) => writer.write_read(thread, event, call.time),
            None => writer.write(thread, event),
        };
        match written {
            Ok(()) => true,
            Err(NotWritten::NotMapped) => self.commit_to_all(shared, instance, writer, event),
            Err(_) => false,
        }
    }

    /// Writes where the buffer has grown since `writer` was made. If not all can be mapped, the event is
    /// counted.
    #[cold]
    #[inline(never)]
    fn commit_to_all(
        self,
        shared: &'static SharedSession,
        instance: usize,
        writer: &Writer,
        event: EncodedEvent<'_>,
    ) -> bool {
        let thread = self.thread(shared);
        match shared.writer_of_all(instance) {
            Some(writer) => writer.write(thread, event).is_ok(),
            None => {
                writer.count_not_mapped(thread);
                false
            }
        }
    }

    /// Does with an event what its switches say, instance by instance.
    #[inline(never)]
    fn write_to_instances(
        self,
        shared: &'static SharedSession,
        call: Option<CallRecord>,
        event_id: u16,
        event: EncodedEvent<'_>,
    ) {
        let switched = shared.control.switched(event_id);
        let looked_at = switched.filtered.union(switched.triggered).union(shared.control.flagged());
        switched.on.union(switched.triggered).for_each(|instance| {
            if looked_at.contains(instance) {
                self.look_and_write(shared, call, instance, &switched, event);
            } else if let Some(writer) = shared.writer_of(instance) {
                self.commit(shared, call, (instance, writer), event);
            }
        });
    }

    /// Does so for an instance where there is more to do than to write.
    #[inline(never)]
    fn look_and_write(
        self,
        shared: &'static SharedSession,
        call: Option<CallRecord>,
        instance: usize,
        switched: &Switched,
        event: EncodedEvent<'_>,
    ) {
        // First: its filters and triggers are mapped with its buffer.
        let Some(writer) = shared.writer_of(instance) else { return };
        if switched.triggered.contains(instance) {
            self.write_and_trigger(shared, call, (instance, writer), switched, event);
        } else if !is_ignored(shared, instance, event) {
            self.write_to(shared, call, (instance, writer), switched, event);
        }
    }

    /// Writes an event to an instance, if its filter there lets it pass; and its stack after it, where that
    /// is wanted.
    #[inline]
    fn write_to(
        self,
        shared: &'static SharedSession,
        call: Option<CallRecord>,
        (instance, writer): (usize, &'static Writer),
        switched: &Switched,
        event: EncodedEvent<'_>,
    ) {
        if switched.filtered.contains(instance) && !passes(shared, instance, event) {
            return;
        }
        let written = self.commit(shared, call, (instance, writer), event);
        if written && shared.control.instance_flags(instance) & STACKS != 0 {
            self.write_stack(shared, call, instance, writer);
        }
    }

    /// Writes an event that has triggers there, in the kernel's order: of a thread that is ignored nobody
    /// looks at the record, so that only those act which need not know it. The record is written if the event
    /// is on still; but one that switches itself on was off when it happened, unless the record was to be
    /// looked at.
    #[cold]
    #[inline(never)]
    fn write_and_trigger(
        self,
        shared: &'static SharedSession,
        call: Option<CallRecord>,
        (instance, writer): (usize, &'static Writer),
        switched: &Switched,
        event: EncodedEvent<'_>,
    ) {
        let first_word = event.first_word();
        let stage = Stage { control: &shared.control, buffer: writer.buffer(), instance, first_word };
        let due = shared.control.due(instance, event.payload(), &CallingThread::new(shared));
        let is_ignored = is_ignored(shared, instance, event);
        if is_ignored && due.is_conditional {
            return;
        }
        stage.before(&due);
        if is_ignored {
            return;
        }
        let was_on = due.is_conditional || switched.on.contains(instance);
        if was_on && shared.control.is_enabled(abi::common::event(event.first_word()), instance) {
            self.write_to(shared, call, (instance, writer), switched, event);
        }
        stage.after(&due, Some(&|| self.write_stack(shared, call, instance, writer)));
    }
}

/// Whether an instance's PID filters keep an event out: by the thread that it is of.
#[inline]
fn is_ignored(shared: &SharedSession, instance: usize, event: EncodedEvent<'_>) -> bool {
    let flags = shared.control.instance_flags(instance) & (PIDS | NOT_PIDS);
    flags != 0
        && shared.control.ignores(instance, flags, listed_as(abi::common::pid(event.first_word()) as u32))
}

/// The TID that PID filters know a thread by: a child with a placeholder by its maker's.
pub(crate) fn listed_as(tid: u32) -> u32 {
    if is_placeholder(tid) { thread::maker_aside() } else { tid }
}

/// Whether the first instance's filter, whose word this was, lets an event pass.
#[inline(never)]
fn passes_first(shared: &SharedSession, word: u64, event_id: u16, event: EncodedEvent<'_>) -> bool {
    let single = shared.control.passes_single(word, event_id, event.payload());
    single.unwrap_or_else(|| passes(shared, 0, event))
}

/// Whether the filter of an instance lets an event pass.
#[inline(never)]
pub(crate) fn passes(shared: &SharedSession, instance: usize, event: EncodedEvent<'_>) -> bool {
    shared.control.passes(instance, event.payload(), &CallingThread::new(shared))
}
