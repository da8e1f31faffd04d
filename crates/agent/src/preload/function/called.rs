//! What a site calls.

use crate::preload::function::objects;
use events::ftrace::FUNCTION_ID;
use ring_buffer::RecordBuffer;
use trace_event::enter;

/// Bytes of the call at a site.
const CALL: u64 = 5;

/// Words of the event: common fields, the function, its caller.
const WORDS: usize = 4;

/// Records that a function was called: `returns_to` is the address after its site, `caller` what it returns
/// to itself.
pub(crate) extern "C" fn record(returns_to: u64, caller: u64) {
    let Some(entered) = enter() else { return };
    let site = returns_to.wrapping_sub(CALL);
    let mut record = RecordBuffer::<WORDS>::new();
    record.push(entered.common(FUNCTION_ID));
    record.push(site);
    record.push(caller);
    entered.write_where(record.event(), &|instance| {
        objects::find(site).is_some_and(|site| site.is_wanted_in(instance))
    });
}
