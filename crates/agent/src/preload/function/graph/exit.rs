//! That a function returns.

use super::chain::outwards;
use super::pool::{self, OwnWords};
use super::record::{is_recorded_alone, record_exit, try_record_exit};
use super::slot::CallSlot;
use super::thread::{innermost, set_innermost};
use crate::preload::function::traced_site::TracedSite;
use call_slots::SlotUse;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use trace_event::{Entered, call_ticks, call_time, enter, enter_known};

/// The registers that a function returns values in, as the slot's code has saved them.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ReturnedValues {
    rdx: u64,
    pub(super) rax: u64,
    rbp: u64,
    rcx: u64,
    /// What the function has returned by, and what the slot is to return by.
    place: AtomicU64,
}

/// How far it was come with a function that has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum ReturnStep {
    /// Nothing was done.
    Nothing = 0,
    /// It goes on in its caller. Its slot is still to be given back.
    Ended = 1,
    /// All was done.
    GivenBack = 2,
}

/// Records that the function that ran in a slot has returned, and has it go on in its caller: where that is
/// recorded in the first instance alone, nothing was jumped to at its end, and the event needs no other
/// page. How far it has come. Nothing is called for it.
#[inline(always)]
pub(in crate::preload::function) fn try_return(
    slot: &'static CallSlot,
    values: &ReturnedValues,
) -> ReturnStep {
    if slot.jumped() != SlotUse::NONE || !is_recorded_alone(slot) {
        return ReturnStep::Nothing;
    }
    let (Some(end), Some(known)) = (call_ticks(), enter_known()) else { return ReturnStep::Nothing };
    if !try_record_exit(known, slot, values.rax, end) {
        return ReturnStep::Nothing;
    }
    set_innermost(slot.outer());
    slot.end(&values.place);
    if pool::keep(slot) { ReturnStep::GivenBack } else { ReturnStep::Ended }
}

/// Records that the function that ran in a slot has returned, with all that were jumped to at its end, has it
/// go on in its caller, and gives the slot back: what of this [`try_return`] has left to do.
///
/// # Safety
///
/// It has returned to the slot's code, which returns to the caller after this.
pub(crate) unsafe extern "C" fn returned(slot: &'static CallSlot, values: &ReturnedValues, step: ReturnStep) {
    if step == ReturnStep::Nothing {
        end_call(slot, values);
    }
    pool::give_back(slot);
}

fn end_call(slot: &'static CallSlot, values: &ReturnedValues) {
    let end = call_time();
    let entered = enter();
    if slot.jumped() != SlotUse::NONE {
        return_jumped(slot, values, end);
    }
    if let Some(entered) = entered {
        record_exit(entered, slot, values.rax, end);
    }
    set_innermost(slot.outer());
    slot.end(&values.place);
}

/// Records that those have returned that were jumped to at the end of a function, the last one first.
#[cold]
#[inline(never)]
fn return_jumped(slot: &'static CallSlot, values: &ReturnedValues, end: u64) {
    pool::ALL.give_back_jumped(OwnWords::here(), slot, |jumped| {
        if let Some(entered) = enter() {
            record_exit(entered, jumped, values.rax, end);
        }
    });
}

/// Records that a function ends whose last site this is. It may be in another frame, of what drops the
/// function's values.
pub(in crate::preload::function) fn leave(entered: Entered, site: &TracedSite) {
    let end = call_time();
    let is_it = |slot: &&CallSlot| slot.is_between_sites() && slot.caller.load(Relaxed) == site.identity();
    if let Some(slot) = outwards(innermost()).find(is_it) {
        // Nobody knows what it returns.
        record_exit(entered, slot, 0, end);
        set_innermost(slot.outer());
        pool::give_back_without_code(slot);
    }
}
