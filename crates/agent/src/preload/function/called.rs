//! What a site calls.

use super::commands::{self, Commands};
use super::traced_site::TracedSite;
use super::{arguments, objects};
use events::ftrace::FUNCTION_ID;
use ring_buffer::RecordBuffer;
use trace_event::{Entered, FrameRecord, enter};

/// Bytes of the call at a site.
pub(super) const CALL: u64 = 5;

/// Words of the event: common fields, the function, its caller.
const WORDS: usize = 4;

/// What the entry has on the stack: registers as it has saved them, and what was there before.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedCall {
    r11: u64,
    r10: u64,
    r9: u64,
    r8: u64,
    rdi: u64,
    rsi: u64,
    rdx: u64,
    rcx: u64,
    rax: u64,
    /// As if the function had called something at its site: it ends with the address after that.
    frame: FrameRecord,
    /// What the function returns to.
    caller: u64,
}

impl SavedCall {
    /// The registers that arguments are in, in the order of the calling convention.
    fn arguments(&self) -> [u64; 6] {
        [self.rdi, self.rsi, self.rdx, self.rcx, self.r8, self.r9]
    }

    fn site(&self) -> u64 {
        let [_, returns_to] = self.frame;
        returns_to.wrapping_sub(CALL)
    }

    /// The event, without arguments.
    #[inline(always)]
    fn event(&self, entered: Entered) -> RecordBuffer<WORDS> {
        let mut record = RecordBuffer::new();
        record.push(entered.common(FUNCTION_ID));
        record.push(self.site());
        record.push(self.caller);
        record
    }
}

/// Records that a function was called.
pub(crate) extern "C" fn record(call: &SavedCall) {
    let Some(entered) = enter() else { return };
    let site = call.site();
    if commands::is_any() || arguments::are_wanted() {
        let function = CalledFunction {
            address: site,
            caller: call.caller,
            arguments: Some(call.arguments()),
            frame: &raw const call.frame,
        };
        return objects::find(site).map_or((), |site| record_slowly(entered, site, &function));
    }
    entered.write_where(call.event(entered).event(), &|instance| {
        objects::find(site).is_some_and(|site| site.is_wanted_in(instance))
    });
}

/// A function that was called.
#[derive(Debug)]
pub(super) struct CalledFunction {
    /// The address of its site.
    pub(super) address: u64,
    /// What it returns to; 0 where that is not known.
    pub(super) caller: u64,
    /// The registers that arguments are in, where they still are.
    pub(super) arguments: Option<[u64; 6]>,
    /// As if it had called something at its site.
    pub(super) frame: *const FrameRecord,
}

/// Records it with the registers that arguments are in, where these are wanted, and does what its commands
/// say.
#[cold]
#[inline(never)]
pub(super) fn record_slowly(entered: Entered, site: &'static TracedSite, function: &CalledFunction) {
    let commands = Commands::of(site);
    commands.act(entered, function.frame, false);
    let words = || [entered.common(FUNCTION_ID), function.address, function.caller].into_iter();
    let mut record = RecordBuffer::<WORDS>::new();
    words().for_each(|word| record.push(word));
    let mut with_arguments = RecordBuffer::<{ WORDS + 6 }>::new();
    words().chain(function.arguments.into_iter().flatten()).for_each(|word| with_arguments.push(word));
    let (record, with_arguments) = (record.event(), with_arguments.event());
    entered.write_chosen(FUNCTION_ID, &|instance| {
        let is_wanted = site.is_wanted_in(instance);
        is_wanted.then(|| if arguments::are_wanted_in(instance) { with_arguments } else { record })
    });
    commands.act(entered, function.frame, true);
}
