//! Calls of functions of Go, whose stacks nobody else may use: see
//! [`go_entry`](crate::preload::arch::go_entry).

use super::call::{FunctionCall, OnceCalled, SavedCall};
use super::called::{record_by_site, write_call};
use super::common_case::{CommonCase, common_case};
use super::instruction_jump::InstructionJump;
use super::moved_site::{MovedEntry, MovedStack};
use super::objects;
use super::replaced_instructions::{MovedPurpose, OpenReplacements};
use super::system_called::{SystemCallWord, record_by_word};
use crate::preload::object::borrowed;
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicU64;
use planner::{EntryPoint, EntryPointPlace, FunctionCode, go_entry_points};
use trace_event::{Entered, KnownThread, count_missed_on_stacks, enter, enter_known, make_thread_stacks};

/// From moved code back to its words: an address within the instruction, the function, what it has on its
/// stack.
pub(crate) const WITHIN_BEFORE: u64 = 8;
const FUNCTION_BEFORE: u64 = 16;
const STACK_BEFORE: u64 = 24;

/// What the code before and after a system call calls.
pub(super) const SYSTEM_CALL_ENTRIES: [MovedEntry; 2] = [MovedEntry::GoSystemCallEnter, MovedEntry::Go];

/// What the entry has on its stack.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedGoCall {
    /// The code that was moved.
    moved: u64,
    call: SavedCall,
    /// The function's stack pointer.
    stack: u64,
}

impl SavedGoCall {
    /// A word before the code that was moved.
    fn word(&self, before: u64) -> u64 {
        // SAFETY: the entry has come from there; what is made has words there.
        unsafe { with_exposed_provenance::<u64>((self.moved - before) as usize).read_unaligned() }
    }
}

impl OnceCalled for SavedGoCall {
    fn enter(&self) -> Option<Entered> {
        enter()
    }

    fn enter_known(&self) -> Option<KnownThread> {
        enter_known()
    }

    fn call(&self) -> FunctionCall<'_> {
        let depth = MovedStack::of_word(self.word(STACK_BEFORE)).depth;
        let place = with_exposed_provenance::<AtomicU64>(self.stack.wrapping_add(depth.into()) as usize);
        // SAFETY: that is how far the function's own instructions have moved the stack pointer.
        self.call.on_other_stack(self.word(FUNCTION_BEFORE), unsafe { &*place })
    }
}

/// Records that a function of Go was called, whose return isn't seen; or that a system call begins or ends.
pub(crate) extern "C" fn record_go(saved: &SavedGoCall) {
    count_missed_on_stacks();
    if MovedStack::of_word(saved.word(STACK_BEFORE)).is_go_call {
        let word = SystemCallWord::of_word(saved.word(FUNCTION_BEFORE));
        return record_by_word(word, saved.call.registers(), saved.call.frame());
    }
    record_function(saved);
}

fn record_function(saved: &SavedGoCall) {
    let Some(entered) = saved.enter() else { return };
    let call = saved.call();
    match common_case() {
        CommonCase::Calls => write_call(entered, call, None),
        CommonCase::Probes | CommonCase::None => {
            if let Some(site) = objects::find(call.site()) {
                record_by_site(entered, call, site);
            }
        }
        CommonCase::Graph | CommonCase::Profile => {}
    }
}

/// Whether threads can come to a stack of the agent's: the processor lets them ask for their pointer, and
/// memory is there.
pub(super) fn can_be_entered() -> bool {
    /// In what the kernel says of the processor.
    const READS_THREAD_POINTER: u64 = 1 << 1;
    borrowed::auxiliary(libc::AT_HWCAP2) & READS_THREAD_POINTER != 0 && make_thread_stacks()
}

/// Makes code for a function of Go.
pub(super) fn make_one(
    function: &FunctionCode<'_>,
    paddings: impl Iterator<Item = Range<u64>> + Clone,
    open: &mut OpenReplacements<'_>,
) -> Option<InstructionJump> {
    let mut points = go_entry_points(function, paddings).ok().filter(|_| can_be_entered())?;
    points.find_map(|EntryPoint { point, place }| {
        let depth = match place {
            EntryPointPlace::First => 0,
            EntryPointPlace::Later { depth, .. } => depth,
        };
        let stack = MovedStack { depth, ..MovedStack::default() };
        let purpose = MovedPurpose { entry: MovedEntry::Go, word: function.start, stack };
        open.write(function, &point, purpose)
    })
}
