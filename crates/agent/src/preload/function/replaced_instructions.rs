//! Instructions that become jumps: making the code that these lead to, and switching them.

use super::instruction_jump::{InstructionJump, MovedTargets, first_bytes};
use super::moved_pages::OpenPages;
use super::moved_site::{MovedEntry, MovedSite, MovedStack};
use super::objects::TracedObject;
use super::off::{failed, kill, refused, say_off};
use super::replaced_instruction::ReplacedInstruction;
use super::{probe_place, self_test};
use core::ops::Range;
use planner::{FunctionCode, JUMP_LEN, JumpSpace, ProbePoint, SHORT_JUMP_LEN, SHORT_JUMP_REACH, is_padding};
use text_poke::plan::SiteState;
use text_poke::{NotApplied, Poke, Threads, apply};
use trace_event::AttachedSession;

/// Code that is being made for instructions of an object.
pub(super) struct OpenReplacements<'a> {
    object: &'a TracedObject,
    pages: OpenPages,
    threads: Threads,
}

/// What moved code is to call, the word that it is known by, and what a function has on its stack there.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedPurpose {
    pub(super) entry: MovedEntry,
    pub(super) word: u64,
    pub(super) stack: MovedStack,
}

impl<'a> OpenReplacements<'a> {
    /// None yet. None at all where there is no memory.
    pub(super) fn new(object: &'a TracedObject, threads: Threads) -> Option<OpenReplacements<'a>> {
        Some(OpenReplacements { object, pages: OpenPages::new(object.text.pages.clone())?, threads })
    }

    /// Makes code for an instruction of a function, at the first one of some points where a jump can be.
    pub(super) fn make(
        &mut self,
        replaced: &ReplacedInstruction,
        function: &FunctionCode<'_>,
        points: impl Iterator<Item = ProbePoint>,
        purpose: MovedPurpose,
    ) {
        for point in points {
            if let Some(jump) = self.write(function, &point, purpose) {
                return replaced.set_made(&jump);
            }
        }
        replaced.set_none();
    }

    /// Writes code for a point of a function: the jump that leads there. None where it can't be.
    pub(super) fn write(
        &mut self,
        function: &FunctionCode<'_>,
        point: &ProbePoint,
        MovedPurpose { entry, word, stack }: MovedPurpose,
    ) -> Option<InstructionJump> {
        let address = function.start.wrapping_add(point.offset as u64);
        let (own, apart) = match point.space {
            JumpSpace::Beforehand if self.threads == Threads::Running => return None,
            JumpSpace::InPlace | JumpSpace::WithPadding | JumpSpace::Beforehand => (JUMP_LEN, None),
            JumpSpace::Apart(apart) => (SHORT_JUMP_LEN, Some(apart)),
        };
        let is_taken = |start: u64, len: usize| {
            let addresses = start..start + len as u64;
            is_replaced(self.object, &addresses) || self.object.sites.overlap(&addresses)
        };
        if is_taken(address, own) || apart.is_some_and(|apart| is_taken(apart, JUMP_LEN)) {
            return None;
        }
        // With what is after the function, if that is padding.
        let bytes = |address: u64| self.object.file.code_at(address.wrapping_sub(self.object.base));
        let (code, padding) = (bytes(address), apart.map(bytes).unwrap_or_default());
        let ProbePoint { len, space, window, .. } = *point;
        let site = MovedSite { entry, word, stack, address, code, len, window };
        let moved = match space {
            JumpSpace::Beforehand => self.pages.write_both(&site)?,
            _ => MovedTargets { on: self.pages.write(&site)?, off: 0 },
        };
        let (found, padding) = (first_bytes(code), first_bytes(padding));
        Some(InstructionJump { at: address, len, space, found, padding, moved })
    }

    /// Makes it code; where that fails, none of it is.
    pub(super) fn seal(self) -> Result<(), NotApplied> {
        self.pages.seal()
    }
}

/// The padding near an address in an object. None where a compiler has left sites: some are before functions.
pub(super) fn paddings(object: &TracedObject, address: u64) -> impl Iterator<Item = Range<u64>> + Clone {
    let (base, is_built) = (object.base, object.is_built);
    let gaps = object.file.gaps_near(address.wrapping_sub(base), SHORT_JUMP_REACH);
    let gaps = gaps.filter(move |_| !is_built);
    let padding = gaps.filter(|gap| is_padding(gap.before, gap.bytes)).map(|gap| gap.addresses);
    padding.map(move |addresses| base.wrapping_add(addresses.start)..base.wrapping_add(addresses.end))
}

/// Whether bytes at these addresses of an object are those of a replaced instruction's jump, or of one that
/// can be (M4).
fn is_replaced(object: &TracedObject, addresses: &Range<u64>) -> bool {
    probe_place::touch(addresses) || object.system_calls.touch(addresses)
}

/// Switches some in an object as they are wanted, for one who has the turn.
pub(super) fn apply_at(
    session: AttachedSession,
    object: &TracedObject,
    replaced: impl Iterator<Item = &'static ReplacedInstruction> + Clone,
    threads: Threads,
) {
    let changes = replaced.filter_map(|one| {
        let (plan, wanted) = one.change(threads)?;
        Some((one, Poke { plan, wanted }))
    });
    if changes.clone().next().is_none() {
        return;
    }
    if let Err(off) = self_test::pass(threads) {
        return kill(session, off, None);
    }
    let wanted = SiteState::On;
    let newly = changes.clone().filter(|(_, poke)| poke.wanted == wanted);
    let apart = newly.filter_map(|(one, _)| Some(Poke { plan: one.plan_apart()?, wanted }));
    if apply_all(session, object, apart, threads)
        && apply_all(session, object, changes.clone().map(|(_, poke)| poke), threads)
    {
        changes.for_each(|(one, poke)| one.set_changed(poke.wanted));
    }
}

/// Whether all is done. If not, function tracing is off.
pub(super) fn apply_all(
    session: AttachedSession,
    object: &TracedObject,
    pokes: impl Iterator<Item = Poke> + Clone,
    threads: Threads,
) -> bool {
    if pokes.clone().next().is_none() {
        return true;
    }
    // SAFETY: the object's code, which stays mapped as long as this is the caller's turn (F1); plans are of
    // what the file has there, and lead to our own code (F2).
    match unsafe { apply(core::slice::from_ref(&object.text), pokes, threads) } {
        Ok(applied) => match applied.failure {
            None => return true,
            Some(failure) => kill(session, failed(failure), Some(object)),
        },
        Err(why) => kill(session, refused(why), Some(object)),
    }
    false
}

/// Says that no code could be made.
pub(super) fn say_unmade(session: AttachedSession, object: &TracedObject, why: NotApplied) {
    say_off(session, refused(why), Some(object));
}
