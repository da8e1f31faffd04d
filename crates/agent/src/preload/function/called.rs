//! What a site calls.

use super::call::{FunctionCall, SavedCall};
use super::commands::Commands;
use super::common_case::{CommonCase, common_case};
use super::traced_site::TracedSite;
use super::{arguments, graph, objects};
use events::ftrace::FUNCTION_ID;
use ring_buffer::RecordBuffer;
use trace_event::{Entered, enter};

/// Words of the event: common fields, the function, its caller.
const WORDS: usize = 4;

/// Records that a function was called, which has not done anything yet. Where it goes on: 0 for where it has
/// called from, or the code of a call slot.
pub(crate) extern "C" fn record(saved: &SavedCall) -> u64 {
    let Some(entered) = enter() else { return 0 };
    let call = saved.at_first_instruction();
    let address = call.site();
    match common_case() {
        CommonCase::Calls => {
            entered.write_where(event(entered, call).event(), &|instance| {
                objects::find(address).is_some_and(|site| site.is_wanted_in(instance))
            });
            0
        }
        CommonCase::Graph => graph::enter_alone(entered, call),
        CommonCase::None => objects::find(address).map_or(0, |site| record_by_site(entered, call, site)),
    }
}

/// Records a call where, and as, it is wanted, and does what commands say. Where the function goes on.
#[cold]
#[inline(never)]
pub(super) fn record_by_site(entered: Entered, call: FunctionCall<'_>, site: &'static TracedSite) -> u64 {
    let commands = Commands::of(site);
    commands.act(entered, call.frame(), false);
    write_call(entered, call, site);
    commands.act(entered, call.frame(), true);
    if site.is_graphed() { graph::enter(entered, call, site) } else { 0 }
}

/// Records the call, with the registers that arguments are in where these are wanted.
fn write_call(entered: Entered, call: FunctionCall<'_>, site: &TracedSite) {
    let mut record = event(entered, call);
    let mut with_arguments = RecordBuffer::<{ WORDS + 6 }>::new();
    [entered.common(FUNCTION_ID), call.site(), parent(call)]
        .into_iter()
        .chain(call.arguments().into_iter().flatten())
        .for_each(|word| with_arguments.push(word));
    let (record, with_arguments) = (record.event(), with_arguments.event());
    entered.write_chosen(FUNCTION_ID, &|instance| {
        let is_wanted = site.is_wanted_in(instance);
        is_wanted.then(|| if arguments::are_wanted_in(instance) { with_arguments } else { record })
    });
}

/// The event, without arguments.
#[inline(always)]
fn event(entered: Entered, call: FunctionCall<'_>) -> RecordBuffer<WORDS> {
    let mut record = RecordBuffer::new();
    record.push(entered.common(FUNCTION_ID));
    record.push(call.site());
    record.push(parent(call));
    record
}

/// Where a function is called from, as far as that is known.
#[inline(always)]
fn parent(call: FunctionCall<'_>) -> u64 {
    graph::real_caller(call.caller())
}
