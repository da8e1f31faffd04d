//! Taking back as it is not done: a slot is claimed by its place alone, looked at again, then freed.
//! Where two do so, one frees what the other one has claimed of a later use.

use crate::slot::ModelSlot;
use crate::world::World;
use call_slots::{AtPlace, BATCH, WithState};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

const CLAIMED: u64 = 1;

fn replace(slot: &ModelSlot, place: u64, new: u64) -> bool {
    slot.place().compare_exchange(place, new, AcqRel, Relaxed).is_ok()
}

/// Takes back what was left: gives to `free` what it has.
pub fn take_back<'a>(world: &World, slots: &'a [ModelSlot], mut free: impl FnMut(&'a ModelSlot)) -> u32 {
    let mut taken = 0;
    for slot in slots {
        let place = slot.place().load(Acquire);
        let is_left = || {
            let mut places = [None; BATCH];
            places[0] = Some(place);
            matches!(world.look(&places)[0], AtPlace::Word(word) if word != slot.return_address())
        };
        if place == 0 || place & 7 != 0 || !is_left() || !replace(slot, place, CLAIMED) {
            continue;
        }
        if !is_left() {
            replace(slot, CLAIMED, place);
        } else if replace(slot, CLAIMED, 0) {
            free(slot);
            taken += 1;
        }
    }
    taken
}
