//! What a site calls, unless its fast path has done all: see [`quick`](super::quick).

use super::call::{BegunCall, FunctionCall, OnceCalled, SavedCall, SavedMovedCall};
use super::commands::Commands;
use super::common_case::{CommonCase, common_case};
use super::traced_site::TracedSite;
use super::{graph, objects, probed, repeats};
use abi::instance::{ARGUMENTS, FUNCTION_STACKS, NO_REPEATS};
use events::ftrace::FUNCTION_ID;
use ring_buffer::RecordBuffer;
use trace_event::{Entered, TracingInstance};

/// Words of the event: common fields, the function, its caller.
const WORDS: usize = 4;

/// Records that a function was called, which has not done anything yet. Where it goes on: 0 for where it has
/// called from, or the code of a call slot.
pub(crate) extern "C" fn record(saved: &SavedCall) -> u64 {
    record_once(saved)
}

/// Records so a call of a function whose first instruction was moved.
pub(crate) extern "C" fn record_moved(saved: &SavedMovedCall) -> u64 {
    record_once(saved)
}

/// Records a call of a function that has begun, and has come to an instruction that was moved.
pub(crate) extern "C" fn record_moved_in_body(saved: &SavedMovedCall) {
    record_once(&BegunCall(saved));
}

#[inline(always)]
fn record_once(saved: &impl OnceCalled) -> u64 {
    let Some(entered) = saved.enter() else { return 0 };
    match common_case() {
        CommonCase::Calls => {
            write_call(entered, saved.call(), None);
            0
        }
        CommonCase::Graph => graph::enter_alone(entered, saved.call()),
        CommonCase::Profile => graph::enter_profile_alone(entered, saved),
        CommonCase::Probes | CommonCase::None => record_of_site(entered, saved),
    }
}

/// Records a call as its site says.
#[inline(never)]
fn record_of_site(entered: Entered, saved: &impl OnceCalled) -> u64 {
    let call = saved.call();
    objects::find(call.site()).map_or(0, |site| record_by_site(entered, call, site))
}

/// Records a call where, and as, it is wanted, and does what commands say. Where the function goes on.
#[cold]
#[inline(never)]
pub(super) fn record_by_site(entered: Entered, call: FunctionCall<'_>, site: &'static TracedSite) -> u64 {
    let commands = Commands::of(site);
    commands.act(entered, call.frame(), false);
    write_call(entered, call, Some(site));
    if site.probes() != 0 {
        probed::record_call(entered, call, site);
    }
    commands.act(entered, call.frame(), true);
    if site.is_graphed() { graph::enter(entered, call, site) } else { 0 }
}

/// Records the call in each instance in the form that is wanted there. Without its site it is one that
/// nothing else than tracers of calls has enabled.
#[cold]
#[inline(never)]
pub(super) fn write_call(entered: Entered, call: FunctionCall<'_>, site: Option<&'static TracedSite>) {
    entered.visit_tracing(FUNCTION_ID, &mut |instance| {
        let is_wanted = |site: &TracedSite| site.is_wanted_in(instance.index());
        let is_recorded = match site {
            Some(site) => is_wanted(site),
            None => instance.is_alone() || objects::find(call.site()).is_some_and(is_wanted),
        };
        if is_recorded {
            write_to(instance, entered, call);
        }
    });
}

fn write_to(instance: TracingInstance, entered: Entered, call: FunctionCall<'_>) {
    let words @ [_, pair @ ..] = words(entered, call);
    if instance.has(NO_REPEATS) && repeats::count(instance, entered, pair) {
        return;
    }
    let mut record = RecordBuffer::<{ WORDS + 6 }>::new();
    words.into_iter().for_each(|word| record.push(word));
    if instance.has(ARGUMENTS) {
        call.arguments().into_iter().flatten().for_each(|word| record.push(word));
    }
    if instance.write(record.event()) && instance.has(FUNCTION_STACKS) {
        // SAFETY: who has called returns after this.
        unsafe { instance.write_stack(call.frame()) };
    }
}

/// The words of the event without arguments.
#[inline(always)]
pub(super) fn words(entered: Entered, call: FunctionCall<'_>) -> [u64; 3] {
    [entered.common(FUNCTION_ID), call.site(), parent(call)]
}

/// Where a function is called from, as far as that is known.
#[inline(always)]
fn parent(call: FunctionCall<'_>) -> u64 {
    graph::real_caller(call.caller())
}
