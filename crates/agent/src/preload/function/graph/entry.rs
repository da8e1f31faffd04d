//! That a function is called.

use super::chain;
use super::pool::{self, slot_of, this_use};
use super::profile;
use super::reclaim;
use super::record::{record_entry, try_write_entry};
use super::slot::CallSlot;
use super::thread::{miss, set_innermost};
use crate::preload::arch::{call_slots, shadow_stack};
use crate::preload::function::call::{FunctionCall, FunctionEnd, OnceCalled};
use crate::preload::function::probed;
use crate::preload::function::traced_site::TracedSite;
use crate::preload::signal::running;
use ::call_slots::{SlotUse, WithState};
use abi::instance::{
    FUNCTION_NOT_PIDS, FUNCTION_PIDS, IN_SECTIONS, NO_HANDLERS, PROFILE, RECORDING, RETURN_PROBES,
};
use control::{ControlArea, InstanceSet};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use events::ftrace::FUNCGRAPH_ENTRY_ID;
use trace_event::{
    Entered, KnownThread, call_ticks, call_time, flags_of_calls, is_outside_sections, session,
};

/// How many functions, jumped to one after the other, are recorded of one call: functions that jump to each
/// other for as long as the program runs would use up all slots.
const MOST_JUMPS: u32 = 64;

/// Records that a function is called, where the first instance alone wants it, wherever it is called from.
/// The address at which the function begins to run so that its return is seen; 0 for where it has called
/// from. None where something else is to be done, or more, or what only [`enter_alone`] can. Nothing is
/// called for it.
#[inline(always)]
pub(in crate::preload::function) fn try_enter(known: KnownThread, call: FunctionCall<'_>) -> Option<u64> {
    let (place, body, caller) = (call.place?, body(call)?, call.caller());
    if call_slots::slot_of(caller).is_some() || has_limits() {
        return None;
    }
    let writer = known.plain_writer(FUNCGRAPH_ENTRY_ID)?;
    let start = call_ticks()?;
    let slot = pool::take_own()?;
    slot.caller.store(caller, Relaxed);
    let outer = chain::enclosing(address(place));
    let depth = slot_of(outer).map_or(0, |outer| outer.inner_depth.load(Relaxed));
    slot.use_for(call.site(), start, outer);
    slot.inner_depth.store(depth + 1, Relaxed);
    slot.recorded.store(InstanceSet::FIRST);
    slot.inside.store(InstanceSet::FIRST);
    slot.hidden.store(InstanceSet::default());
    if !try_write_entry(writer, known.entered(), (call.site(), depth), start) {
        pool::put_back(slot);
        return None;
    }
    Some(begin(slot, place, body))
}

/// Records so what [`try_enter`] can't: where limits say what is recorded, the function was jumped to, no
/// slot is at hand, or the event needs another page. Where the function goes on, likewise.
#[cold]
#[inline(never)]
pub(in crate::preload::function) fn enter_alone(entered: Entered, call: FunctionCall<'_>) -> u64 {
    let everywhere = Membership { inside: InstanceSet::FIRST, hidden: InstanceSet::default() };
    enter_as(entered, call, 0, InstanceSet::FIRST, everywhere)
}

/// Counts that a function is called, where nothing but the profile wants it. As [`enter_alone`].
#[inline(always)]
pub(in crate::preload::function) fn enter_profile_alone(entered: Entered, saved: &impl OnceCalled) -> u64 {
    let call = saved.call();
    let Some(session) = session() else { return 0 };
    let (Some(place), Some(body)) = (call.place, body(call)) else {
        return enter_profile_slowly(entered, saved);
    };
    if !session.control().is_profiling() {
        return 0;
    }
    let caller = call.caller();
    if call_slots::slot_of(caller).is_some() {
        return enter_profile_slowly(entered, saved);
    }
    let Some(slot) = pool::take().or_else(reclaim::take) else {
        miss();
        profile::miss(session);
        return 0;
    };
    if !profile::count_call(session, slot, call.site()) {
        pool::give_back(slot);
        return 0;
    }
    slot.caller.store(caller, Relaxed);
    let outer = chain::enclosing(address(place));
    slot.inner_depth.store(slot_of(outer).map_or(0, |outer| outer.inner_depth.load(Relaxed)), Relaxed);
    slot.recorded.store(InstanceSet::PROFILE);
    slot.inside.store(InstanceSet::default());
    slot.hidden.store(InstanceSet::default());
    slot.use_for(call.site(), call_time(), outer);
    begin(slot, place, body)
}

/// Does so for a function that was jumped to.
#[cold]
#[inline(never)]
fn enter_profile_slowly(entered: Entered, saved: &impl OnceCalled) -> u64 {
    enter_as(entered, saved.call(), 0, InstanceSet::PROFILE, Membership::default())
}

/// Where a function begins to run so that its return is seen, if it can be: 0 for one that has begun.
#[inline(always)]
fn body(call: FunctionCall<'_>) -> Option<u64> {
    match call.end {
        FunctionEnd::Reentered(body) => Some(body),
        // What has begun is to return to another address than it was called from.
        FunctionEnd::Returned => (!shadow_stack::is_on()).then_some(0),
        FunctionEnd::Site => None,
    }
}

fn address(place: &AtomicU64) -> u64 {
    (&raw const *place).addr() as u64
}

/// Has a function return to a slot, and begin there, unless it has begun: its `body` is 0 then. Where it is
/// to go on. The slot has its caller: what stood at its place when that was known to be no slot's.
#[inline(always)]
fn begin(slot: &'static CallSlot, place: &AtomicU64, body: u64) -> u64 {
    slot.body.store(body, Relaxed);
    set_innermost(this_use(slot));
    // The return address of a function that has just been called, and is about to begin where this says.
    slot.begin(place, slot.return_address());
    slot.code()
}

/// Notes a function that returns when the one does that has jumped to it: without a slot's code of its own.
fn begin_jumped(slot: &'static CallSlot, from: &'static CallSlot) {
    slot.begin_jumped(this_use(slot), from);
    from.jumps.store(from.jumps.load(Relaxed) + 1, Relaxed);
    set_innermost(this_use(slot));
}

/// Notes a function that ends at another site, with the stack as it is now.
fn begin_between_sites(slot: &'static CallSlot, function: u64, stack_pointer: u64) {
    slot.begin_between_sites(function, stack_pointer);
    set_innermost(this_use(slot));
}

/// Whether the first instance doesn't want all calls.
#[inline(always)]
fn has_limits() -> bool {
    session().is_none_or(|session| {
        let control = session.control();
        control.instance_graph_depth(RECORDING) != 0
            || control.instance_threshold(RECORDING) != 0
            || control.instance_flags(RECORDING) & (FUNCTION_PIDS | FUNCTION_NOT_PIDS | IN_SECTIONS) != 0
    })
}

/// Records that a function is called whose site this is: in those instances that want it.
pub(in crate::preload::function) fn enter(
    entered: Entered,
    call: FunctionCall<'_>,
    site: &TracedSite,
) -> u64 {
    let Some(session) = session() else { return 0 };
    let control = session.control();
    let tracing = control.switched(FUNCGRAPH_ENTRY_ID).on;
    let (mut own, mut wanting) = (Membership::default(), InstanceSet::default());
    tracing.for_each(|instance| {
        if site.is_graph_root_in(instance) {
            own.inside = own.inside.with(instance);
        }
        if site.is_graph_hidden_in(instance) {
            own.hidden = own.hidden.with(instance);
        }
        if site.is_graphed_in(instance) {
            wanting = wanting.with(instance);
        }
    });
    if site.is_profiled() {
        wanting = wanting.with(PROFILE);
    }
    if site.is_return_probed() {
        wanting = wanting.with(RETURN_PROBES);
    }
    enter_as(entered, call, site.identity(), wanting, own)
}

/// Where a call lies in a graph that is to be recorded, and where in one that is not.
#[derive(Debug, Clone, Copy, Default)]
struct Membership {
    inside: InstanceSet,
    hidden: InstanceSet,
}

impl Membership {
    fn of(slot: &CallSlot) -> Membership {
        Membership { inside: slot.inside.load(), hidden: slot.hidden.load() }
    }
}

/// Records that a function is called: where it is wanted, and where it lies in a graph that is to be
/// recorded; and counts it, if the profile is among those. `function` is what its last site
/// knows it by, if it has one.
fn enter_as(
    entered: Entered,
    call: FunctionCall<'_>,
    function: u64,
    wanting: InstanceSet,
    own: Membership,
) -> u64 {
    let Some(session) = session() else { return 0 };
    let is_profiled = wanting.contains(PROFILE) && session.control().is_profiling();
    let is_probed = wanting.contains(RETURN_PROBES);
    let Some(place) = CallPlace::of(call) else {
        if is_profiled {
            profile::count_endless_call(session, call.site());
        }
        if is_probed {
            probed::miss_return(call.site());
        }
        return 0;
    };
    let miss_it = || {
        miss();
        if is_profiled {
            profile::miss(session);
        }
        if is_probed {
            probed::miss_return(call.site());
        }
        0
    };
    if place.jumped_from.is_some_and(|from| from.jumps.load(Relaxed) >= MOST_JUMPS) {
        return miss_it();
    }
    let outer = place.outer(call);
    let before = slot_of(outer).map_or_else(Default::default, Membership::of);
    let (inside, hidden) = (own.inside.union(before.inside), own.hidden.union(before.hidden));
    let is_recorded = |instance: &usize| {
        inside.contains(*instance)
            && !hidden.contains(*instance)
            && is_shallow(session.control(), *instance, outer)
            && !is_unwanted_handler(session.control(), *instance)
            && !entered.is_kept_out(session.control(), *instance)
            && !is_outside_sections(session.control(), *instance)
    };
    let recorded = wanting.iter().filter(is_recorded).fold(InstanceSet::default(), InstanceSet::with);
    let is_first_hidden = hidden != before.hidden;
    if recorded.is_empty() && !is_first_hidden && !is_profiled && !is_probed {
        return 0;
    }
    let Some(slot) = pool::take().or_else(reclaim::take) else { return miss_it() };
    let start = call_time();
    slot.use_for(call.site(), start, outer);
    slot.inside.store(inside);
    slot.hidden.store(hidden);
    let mut written = record_entry(entered, session.control(), call, (start, outer), recorded);
    if is_profiled && profile::count_call(session, slot, call.site()) {
        written = written.with(PROFILE);
    }
    if is_probed {
        written = written.with(RETURN_PROBES);
    }
    if written.is_empty() && !is_first_hidden {
        pool::give_back(slot);
        return 0;
    }
    slot.recorded.store(written);
    let depth = slot_of(outer).map_or(0, |outer| outer.inner_depth.load(Relaxed));
    slot.inner_depth.store(depth + u32::from(written.contains(RECORDING)), Relaxed);
    place.begin(slot, call, function)
}

/// Where a call is on the stack, and what it has there.
#[derive(Clone, Copy)]
struct CallPlace<'a> {
    address: u64,
    /// Its return address; none where it ends at another site.
    word: Option<&'a AtomicU64>,
    /// What stands there.
    caller: u64,
    /// The slot of the function that has jumped to it at its end.
    jumped_from: Option<&'static CallSlot>,
}

impl<'a> CallPlace<'a> {
    /// None for a call of which it can't be seen when it ends.
    fn of(call: FunctionCall<'a>) -> Option<CallPlace<'a>> {
        match call.end {
            FunctionEnd::Site => {
                Some(CallPlace { address: call.stack_pointer(), word: None, caller: 0, jumped_from: None })
            }
            // What has begun is to return to another address than it was called from.
            FunctionEnd::Returned if shadow_stack::is_on() => None,
            FunctionEnd::Returned | FunctionEnd::Reentered(_) => {
                let word = call.place?;
                let address = address(word);
                let caller = call.caller();
                let slot = call_slots::slot_of(caller);
                let jumped_from = slot.filter(|slot| slot.place() == address);
                Some(CallPlace { address, word: Some(word), caller, jumped_from })
            }
        }
    }

    /// The call that encloses it.
    fn outer(self, call: FunctionCall<'_>) -> SlotUse {
        match self.jumped_from.map(|from| (from, from.jumped())) {
            Some((from, SlotUse::NONE)) => this_use(from),
            Some((_, last)) => last,
            None if call.end == FunctionEnd::Site => chain::enclosing_in_frame(self.address),
            None => chain::enclosing(self.address),
        }
    }

    /// Has the slot be the call's. Where the function goes on.
    fn begin(self, slot: &'static CallSlot, call: FunctionCall<'_>, function: u64) -> u64 {
        slot.caller.store(self.caller, Relaxed);
        match (self.jumped_from, self.word, call.end) {
            (Some(from), _, _) => begin_jumped(slot, from),
            (None, Some(word), FunctionEnd::Reentered(body)) => return begin(slot, word, body),
            (None, Some(word), _) => drop(begin(slot, word, 0)),
            (None, None, _) => begin_between_sites(slot, function, self.address),
        }
        0
    }
}

/// Whether a call is not too deep for an instance.
fn is_shallow(control: &ControlArea, instance: usize, outer: SlotUse) -> bool {
    let most = control.instance_graph_depth(instance);
    most == 0 || chain::depth(outer, instance) < most
}

/// Whether this is a handler of a signal, or below one, and an instance doesn't want these.
fn is_unwanted_handler(control: &ControlArea, instance: usize) -> bool {
    flags_of_calls(control, instance) & NO_HANDLERS != 0 && running::is_running()
}
