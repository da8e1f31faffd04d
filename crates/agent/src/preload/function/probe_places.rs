//! Instructions that probes are at: making their code, and switching them.

use super::moved_site::{MovedEntry, MovedStack};
use super::objects::{TracedObject, key};
use super::probe_place::{ProbedInstruction, within};
use super::replaced_instructions::{self, MovedPurpose, OpenReplacements, paddings, say_unmade};
use planner::{FunctionCode, probe_points};
use text_poke::{NotApplied, Threads};
use trace_event::AttachedSession;

/// Switches those in an object as they are wanted, for one who has the turn.
pub(super) fn apply_at(session: AttachedSession, object: &TracedObject, threads: Threads) {
    if let Err(why) = make(object, threads) {
        return say_unmade(session, object, why);
    }
    let places = || within(key(object));
    places().for_each(|place| place.replaced.want(place.is_wanted()));
    replaced_instructions::apply_at(session, object, places().map(|place| &place.replaced), threads);
}

/// Makes code for those in an object that are wanted and have none yet.
fn make(object: &TracedObject, threads: Threads) -> Result<(), NotApplied> {
    let new = || within(key(object)).filter(|place| place.is_wanted() && place.replaced.is_unmade());
    if new().next().is_none() {
        return Ok(());
    }
    let Some(mut open) = OpenReplacements::new(object, threads) else { return Ok(()) };
    for place in new() {
        if make_one(place, object, &mut open).is_none() {
            place.replaced.set_none();
        }
    }
    let sealed = open.seal();
    if sealed.is_err() {
        // What was made has not become code.
        let places = within(key(object)).filter(|place| !place.replaced.is_jump());
        places.for_each(|place| place.replaced.set_none());
    }
    sealed
}

/// Makes the code of one. None where there can be none.
fn make_one(place: &ProbedInstruction, object: &TracedObject, open: &mut OpenReplacements<'_>) -> Option<()> {
    let address = place.address();
    let span = object.file.span_around(&object.symbols, address.wrapping_sub(object.base))?;
    let code = object.file.code_in(&span)?;
    let function = FunctionCode { start: object.base.wrapping_add(span.start), code };
    let offset = usize::try_from(address.wrapping_sub(function.start)).ok()?;
    let (entry, is_in_libc) = (MovedEntry::Anywhere, object.is_libc());
    let stack = MovedStack { is_in_libc, ..MovedStack::default() };
    let purpose = MovedPurpose { entry, word: place.number()?, stack };
    let points = probe_points(&function, offset, paddings(object, address)).ok()?;
    open.make(&place.replaced, &function, points, purpose);
    Some(())
}
