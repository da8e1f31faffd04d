//! Code for what was not built to be traced: what its instructions jump to.
//!
//! ```text
//! function:  jmp T        in the place of one instruction, see the crate `planner`
//!            next
//!
//! T - 24:    what it has on its stack there
//! T - 16:    a word: the function's address, or the number of a probe's place, or a system call's
//! T - 8:     an address within the instruction
//! T:         call one of the page's first jumps            -> the agent records
//! T + 5:     the instruction that was replaced
//!            jmp next
//! ```
//!
//! In the middle of a function something may lie below the stack pointer, and flags may count: there the call
//! is between two instructions that move the stack pointer past it and back, and leave the flags alone.
//!
//! Before a system call it is the other way round: the instruction is executed first, and then what records
//! is called. The words are between the two, with a jump over them.
//!
//! Invariants:
//! * **M1** A page is written before it is code, and never again: sites that come later have pages of their
//!   own.
//! * **M2** What was made stays (F2), as does the site's choice of it.
//! * **M3** No page is where the program's heap or its first stack may grow.
//! * **M4** No two instructions are replaced of which one is where the other one's jump is: what a jump
//!   leaves as it is must stay.

#[cfg(feature = "static_program")]
use super::go_called;
use super::instruction_jump::InstructionJump;
use super::moved_site::{MovedEntry, MovedStack};
use super::objects::TracedObject;
use super::replaced_instructions::{MovedPurpose, OpenReplacements, paddings};
use super::traced_site::TracedSite;
use planner::{EntryPoint, EntryPointPlace, FunctionCode, entry_points};
use text_poke::{NotApplied, Threads};

/// Makes code for sites of an object that are wanted and have none yet: where their functions have a place
/// for the jump, and memory is free where that leads.
pub(super) fn make(object: &TracedObject, threads: Threads) -> Result<(), NotApplied> {
    let sites = || object.sites.all().iter();
    let is_new = |site: &&TracedSite| site.is_wanted() && !site.entry.is_made();
    if !sites().any(|site| is_new(&site)) {
        return Ok(());
    }
    let Some(mut open) = OpenReplacements::new(object, threads) else { return Ok(()) };
    for site in sites().filter(is_new) {
        site.entry.choose(site.address, make_one(site, object, &mut open).as_ref());
    }
    let sealed = open.seal();
    sites().for_each(|site| site.entry.keep(sealed.is_ok()));
    sealed
}

fn make_one(
    site: &TracedSite,
    object: &TracedObject,
    open: &mut OpenReplacements<'_>,
) -> Option<InstructionJump> {
    let code = object.file.function_code(site.address.wrapping_sub(object.base));
    let function = FunctionCode { start: site.address, code };
    let paddings = paddings(object, site.address);
    #[cfg(feature = "static_program")]
    if object.is_of_go {
        return go_called::make_one(&function, paddings, open);
    }
    let mut points = entry_points(&function, paddings).ok()?;
    points.find_map(|EntryPoint { point, place }| {
        let (entry, depth, has_arguments) = match place {
            EntryPointPlace::First => (MovedEntry::First, 0, true),
            EntryPointPlace::Later { depth, has_arguments } => (MovedEntry::Later, depth, has_arguments),
        };
        let is_in_libc = object.is_libc();
        let stack = MovedStack { depth, has_arguments, is_in_libc, ..MovedStack::default() };
        let purpose = MovedPurpose { entry, word: function.start, stack };
        open.write(&function, &point, purpose)
    })
}
