//! The events.

use super::callers::real_caller;
use super::slot::CallSlot;
use super::thread::missed;
use super::{chain, profile};
use crate::preload::function::call::FunctionCall;
use crate::preload::function::probed;
use abi::instance::{GRAPH_ARGUMENTS, IN_SECTIONS, PROFILE, RECORDING, RETURN_ADDRESSES, RETURN_PROBES};
use call_slots::SlotUse;
use control::{ControlArea, InstanceSet};
use core::sync::atomic::Ordering::Relaxed;
use events::ftrace::{FGRAPH_RETADDR_ENTRY_ID, FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID};
use ring_buffer::{EncodedEvent, RecordBuffer};
use trace_event::{
    Entered, GraphExit, KnownThread, PlainWriter, flags_of_calls, graph_entry, graph_exit, nanoseconds,
    session,
};

/// Writes to the first instance that a function is called, where that is all there is to do. Nothing is
/// called for it.
#[inline(always)]
pub(super) fn try_write_entry(
    writer: PlainWriter,
    entered: Entered,
    (function, depth): (u64, u32),
    ticks: u64,
) -> bool {
    writer.try_write_short(graph_entry(entered, function, depth), Some(ticks))
}

/// Whether the entry was recorded in the first instance, and nothing else was done.
#[inline(always)]
pub(super) fn is_recorded_alone(slot: &CallSlot) -> bool {
    slot.recorded.load() == InstanceSet::FIRST
}

/// As [`record_exit`], likewise: of a call that [is so](is_recorded_alone). Whether it has.
#[inline(always)]
pub(super) fn try_record_exit(known: KnownThread, slot: &'static CallSlot, value: u64, end: u64) -> bool {
    let has_limit = || session().is_none_or(|session| session.control().instance_threshold(RECORDING) != 0);
    if has_limit() {
        return false;
    }
    known.plain_writer(FUNCGRAPH_EXIT_ID).is_some_and(|writer| {
        let mut record = exit_record(known.entered(), slot, (value, inner_depth(slot)), end);
        writer.try_write_at(end, record.event())
    })
}

/// How many calls that are recorded in the first instance enclose one that is recorded there.
#[inline(always)]
fn inner_depth(slot: &CallSlot) -> u32 {
    slot.inner_depth.load(Relaxed).wrapping_sub(1)
}

#[inline(always)]
fn exit_record(entered: Entered, slot: &CallSlot, (value, depth): (u64, u32), end: u64) -> RecordBuffer<6> {
    let exit = GraphExit { value, depth, missed: missed(), start: slot.start.load(Relaxed), end };
    graph_exit(entered, slot.function.load(Relaxed), exit)
}

/// Writes to some instances that a function is called: in the form that each wants. Where it is there, or
/// would be but for its duration, which is not known yet.
pub(super) fn record_entry(
    entered: Entered,
    control: &ControlArea,
    call: FunctionCall<'_>,
    (time, outer): (u64, SlotUse),
    instances: InstanceSet,
) -> InstanceSet {
    let mut written = InstanceSet::default();
    instances.for_each(|instance| {
        let only = InstanceSet::default().with(instance);
        let depth = chain::depth(outer, instance);
        let is_there = threshold(control, instance) != 0
            || write_entry_to(entered, control, call, (time, depth), instance) == only;
        if is_there {
            written = written.with(instance);
        }
    });
    written
}

fn write_entry_to(
    entered: Entered,
    control: &ControlArea,
    call: FunctionCall<'_>,
    (time, depth): (u64, u32),
    instance: usize,
) -> InstanceSet {
    let write =
        |event: EncodedEvent<'_>| entered.write_at(time, event, InstanceSet::default().with(instance));
    let mut record = RecordBuffer::<9>::new();
    let flags = flags_of_calls(control, instance);
    if flags & RETURN_ADDRESSES != 0 {
        let caller = real_caller(call.caller());
        let [low, high] = [caller as u32, (caller >> 32) as u32];
        record.push(entered.common(FGRAPH_RETADDR_ENTRY_ID));
        record.push(call.site());
        [depth, low, high].into_iter().for_each(|half| record.push_half(half));
        return write(record.event());
    }
    let Some(arguments) = call.arguments().filter(|_| flags & GRAPH_ARGUMENTS != 0) else {
        return write(graph_entry(entered, call.site(), depth).record().event());
    };
    record.push(entered.common(FUNCGRAPH_ENTRY_ID));
    record.push(call.site());
    record.push(u64::from(depth));
    arguments.into_iter().for_each(|word| record.push(word));
    write(record.event())
}

/// Calls that take less, in nanoseconds, are not recorded in an instance. For a latency tracer it is
/// sections that the threshold is about.
fn threshold(control: &ControlArea, instance: usize) -> u64 {
    match control.instance_threshold(instance) {
        0 => 0,
        _ if control.instance_flags(instance) & IN_SECTIONS != 0 => 0,
        threshold => threshold,
    }
}

/// Writes that a function has returned, where its entry was recorded, and counts it where that was.
#[inline(always)]
pub(super) fn record_exit(entered: Entered, slot: &'static CallSlot, value: u64, end: u64) {
    let recorded = slot.recorded.load();
    if is_recorded_alone(slot) {
        write_exit(entered, slot, (value, inner_depth(slot)), end, RECORDING);
    } else if recorded == InstanceSet::PROFILE {
        profile::count_return(slot, end);
    } else {
        record_exit_in(entered, slot, value, end, recorded);
    }
}

#[cold]
#[inline(never)]
fn record_exit_in(entered: Entered, slot: &'static CallSlot, value: u64, end: u64, recorded: InstanceSet) {
    recorded.for_each(|instance| {
        if instance == PROFILE {
            return profile::count_return(slot, end);
        }
        if instance == RETURN_PROBES {
            return record_probed(entered, slot, value);
        }
        let depth = chain::depth(slot.outer(), instance);
        write_exit(entered, slot, (value, depth), end, instance);
    });
}

/// Records what probes want of a return.
fn record_probed(entered: Entered, slot: &'static CallSlot, value: u64) {
    let caller = real_caller(slot.caller.load(Relaxed));
    let stack_pointer = slot.place().wrapping_add(8);
    probed::record_return(entered, slot.function.load(Relaxed), caller, stack_pointer, value);
}

#[inline(always)]
fn write_exit(
    entered: Entered,
    slot: &'static CallSlot,
    (value, depth): (u64, u32),
    end: u64,
    instance: usize,
) {
    let start = slot.start.load(Relaxed);
    let threshold = session().map_or(0, |session| threshold(session.control(), instance));
    if threshold != 0 && nanoseconds(start, end) < threshold {
        return;
    }
    let mut record = exit_record(entered, slot, (value, depth), end);
    entered.write_at(end, record.event(), InstanceSet::default().with(instance));
}
