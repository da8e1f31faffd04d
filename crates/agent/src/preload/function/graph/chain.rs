//! Which calls enclose a call: those of the thread that began before it, and that have not returned.
//!
//! A call encloses another one if its return address lies higher on the stack. One that was left by a jump
//! has it no higher than what is called afterwards, so it drops out there. On several stacks that says
//! nothing about calls on another one: then a call may seem to be in one that it is not in (G4).

use super::pool::slot_of;
use super::slot::{CallSlot, SLOTS};
use super::thread::innermost;
use call_slots::SlotUse;

/// The innermost call that is under way and that encloses one with its return address at `place`.
#[inline(always)]
pub(super) fn enclosing(place: u64) -> SlotUse {
    find(|slot| slot.place() > place)
}

/// The innermost one that encloses one between sites in the body of a function, with the stack pointer there:
/// it may be one in the same frame.
pub(super) fn enclosing_in_frame(stack_pointer: u64) -> SlotUse {
    find(|slot| slot.place() > stack_pointer || slot.is_between_sites() && slot.place() == stack_pointer)
}

#[inline(always)]
fn find(encloses: impl Fn(&CallSlot) -> bool) -> SlotUse {
    let mut call = innermost();
    for _ in 0..SLOTS {
        let Some(slot) = slot_of(call) else { break };
        if encloses(slot) {
            return call;
        }
        call = slot.outer();
    }
    SlotUse::NONE
}

/// A call and those that enclose it, from within.
pub(super) fn outwards(call: SlotUse) -> impl Iterator<Item = &'static CallSlot> {
    core::iter::successors(slot_of(call), |slot| slot_of(slot.outer())).take(SLOTS)
}

/// How many of them are recorded in an instance.
pub(super) fn depth(outer: SlotUse, instance: usize) -> u32 {
    outwards(outer).filter(|slot| slot.recorded.load().contains(instance)).count() as u32
}
