//! Instructions that probes are at: making their code, and switching them.

use super::moved_pages::OpenPages;
use super::moved_site::{MovedEntry, MovedSite, MovedStack};
use super::objects::{TracedObject, key};
use super::off::{failed, kill, refused, say_off};
use super::probe_place::{ProbedInstruction, overlap, within};
use super::self_test;
use planner::{FunctionCode, probe_points};
use text_poke::{NotApplied, Poke, Threads, apply};
use trace_event::AttachedSession;

/// Switches those in an object as they are wanted, for one who has the turn.
pub(super) fn apply_at(session: AttachedSession, object: &TracedObject, threads: Threads) {
    if let Err(why) = make(object) {
        return say_off(session, refused(why), Some(object));
    }
    let changes = within(key(object)).filter_map(|place| place.change().map(|(plan, to)| (place, plan, to)));
    if changes.clone().next().is_none() {
        return;
    }
    if let Err(off) = self_test::pass(threads) {
        return kill(session, off, None);
    }
    let pokes = changes.clone().map(|(_, plan, wanted)| Poke { plan, wanted });
    // SAFETY: the object's code, which stays mapped as long as this is the caller's turn (F1); plans are of
    // what the file has there, and lead to our own code (F2).
    match unsafe { apply(core::slice::from_ref(&object.text), pokes, threads) } {
        Ok(applied) => match applied.failure {
            None => changes.for_each(|(place, _, state)| place.set_changed(state)),
            Some(failure) => kill(session, failed(failure), Some(object)),
        },
        Err(why) => kill(session, refused(why), Some(object)),
    }
}

/// Makes code for those in an object that are wanted and have none yet.
fn make(object: &TracedObject) -> Result<(), NotApplied> {
    let new = || within(key(object)).filter(|place| place.is_wanted() && place.is_unmade());
    if new().next().is_none() {
        return Ok(());
    }
    let Some(mut pages) = OpenPages::new(object.text.pages.clone()) else { return Ok(()) };
    for place in new() {
        if make_one(place, object, &mut pages).is_none() {
            place.set_none();
        }
    }
    let sealed = pages.seal();
    if sealed.is_err() {
        // What was made has not become code.
        within(key(object)).filter(|place| !place.is_jump()).for_each(ProbedInstruction::set_none);
    }
    sealed
}

/// Makes the code of one. None where there can be none.
fn make_one(place: &ProbedInstruction, object: &TracedObject, pages: &mut OpenPages) -> Option<()> {
    let address = place.address();
    let span = object.file.span_around(&object.symbols, address.wrapping_sub(object.base))?;
    let code = object.file.code_at(span.start).get(..(span.end - span.start) as usize)?;
    let function = FunctionCode { start: object.base.wrapping_add(span.start), code };
    let offset = usize::try_from(address.wrapping_sub(function.start)).ok()?;
    let number = place.number()?;
    for point in probe_points(&function, offset).ok()? {
        let at = function.start.wrapping_add(point.offset as u64);
        if overlap(at) || object.sites.overlap(at) {
            continue;
        }
        let code = function.code.get(point.offset..)?;
        let (entry, len, window) = (MovedEntry::Anywhere, point.len, point.window);
        let stack = MovedStack::default();
        let site = MovedSite { entry, word: number, stack, address: at, code, len, window };
        let Some(moved) = pages.write(&site) else { continue };
        place.set_made(at, len, *code.first_chunk()?, moved);
        return Some(());
    }
    None
}
