//! What a site calls.

use super::commands::{self, Commands};
use super::objects;
use events::ftrace::FUNCTION_ID;
use ring_buffer::RecordBuffer;
use trace_event::{Entered, FrameRecord, enter};

/// Bytes of the call at a site.
const CALL: u64 = 5;

/// Words of the event: common fields, the function, its caller.
const WORDS: usize = 4;

/// Records that a function was called: `returns_to` is the address after its site, `caller` what it returns
/// to itself, and `frame`
/// what the function has on the stack as if it had called something there.
pub(crate) extern "C" fn record(returns_to: u64, caller: u64, frame: *const FrameRecord) {
    let Some(entered) = enter() else { return };
    let site = returns_to.wrapping_sub(CALL);
    if !commands::is_any() {
        let find = |instance| objects::find(site).is_some_and(|site| site.is_wanted_in(instance));
        return write(entered, site, caller, true, &find);
    }
    let Some(found) = objects::find(site) else { return };
    let commands = Commands::of(found);
    commands.act(entered, frame, false);
    write(entered, site, caller, false, &|instance| found.is_wanted_in(instance));
    commands.act(entered, frame, true);
}

/// Writes the event, where it is wanted.
#[inline(always)]
fn write(entered: Entered, site: u64, caller: u64, is_sure: bool, is_wanted: &dyn Fn(usize) -> bool) {
    let mut record = RecordBuffer::<WORDS>::new();
    record.push(entered.common(FUNCTION_ID));
    record.push(site);
    record.push(caller);
    entered.write_where(record.event(), is_sure, is_wanted);
}
