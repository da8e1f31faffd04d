//! System calls: switching the instructions by which they are seen to begin and to end.
//!
//! The instruction `syscall` is never changed nor moved, see the crate `planner`.

#[cfg(feature = "static_program")]
use super::go_called;
use super::moved_site::{MovedEntry, MovedStack};
use super::objects::TracedObject;
use super::replaced_instructions::{self, MovedPurpose, OpenReplacements, paddings, say_unmade};
use super::system_call_table::SystemCallSite;
use super::system_called::SystemCallWord;
use control::{ControlArea, WantedSystemCall};
use text_poke::{NotApplied, Threads};
use trace_event::AttachedSession;

/// Which calls are wanted.
#[derive(Clone, Copy)]
pub(super) struct SystemCallWishes<'a> {
    /// None where none is.
    control: Option<&'a ControlArea>,
}

impl<'a> SystemCallWishes<'a> {
    /// Those of a session, unless all is off.
    pub(super) fn of(control: &'a ControlArea, is_off: bool) -> SystemCallWishes<'a> {
        SystemCallWishes { control: Some(control).filter(|control| !is_off && control.system_calls_wanted()) }
    }

    /// Whether any is.
    pub(super) fn is_any(self) -> bool {
        self.control.is_some()
    }

    /// What is wanted of the calls of a place. It is of each where any may be made there; and the begin where
    /// only that says which one has ended.
    fn at(self, site: &SystemCallSite) -> WantedSystemCall {
        let Some(control) = self.control else { return WantedSystemCall::default() };
        site.number
            .map_or(WantedSystemCall { enter: true, exit: true }, |number| control.wanted_system_call(number))
    }
}

/// Switches those of an object as they are wanted, for one who has the turn.
pub(super) fn apply_at(
    session: AttachedSession,
    wishes: SystemCallWishes<'_>,
    object: &TracedObject,
    threads: Threads,
) {
    if wishes.is_any() {
        let made =
            object.system_calls.fill(&object.file, object.base).map(|()| make(wishes, object, threads));
        if let Some(Err(why)) = made {
            return say_unmade(session, object, why);
        }
    }
    let sites = object.system_calls.all();
    for site in sites {
        let wanted = wishes.at(site);
        site.enter.want(wanted.enter);
        site.exit.want(wanted.exit);
    }
    let replaced = sites.iter().flat_map(|site| [&site.enter, &site.exit]);
    replaced_instructions::apply_at(session, object, replaced, threads);
}

/// Makes code for those that are wanted and have none yet.
fn make(wishes: SystemCallWishes<'_>, object: &TracedObject, threads: Threads) -> Result<(), NotApplied> {
    let is_new =
        |site: &&SystemCallSite| site.enter.is_unmade() && wishes.at(site) != WantedSystemCall::default();
    let new = || object.system_calls.all().iter().filter(is_new);
    if new().next().is_none() {
        return Ok(());
    }
    let Some(mut open) = OpenReplacements::new(object, threads) else { return Ok(()) };
    for site in new() {
        make_one(site, object, &mut open);
    }
    let sealed = open.seal();
    if sealed.is_err() {
        // What was made has not become code.
        for site in object.system_calls.all() {
            [&site.enter, &site.exit].into_iter().filter(|one| !one.is_jump()).for_each(|one| one.set_none());
        }
    }
    sealed
}

/// Makes the code of one, for its begin and its end.
fn make_one(site: &SystemCallSite, object: &TracedObject, open: &mut OpenReplacements<'_>) {
    let function = site.function(&object.file, object.base);
    let Some(call) = site.system_call(&function) else { return };
    let paddings = paddings(object, site.address);
    let entries = [MovedEntry::SystemCallEnter, MovedEntry::SystemCallExit];
    #[cfg(feature = "static_program")]
    let entries = if object.is_of_go { go_called::SYSTEM_CALL_ENTRIES } else { entries };
    #[cfg(feature = "static_program")]
    if object.is_of_go && !go_called::can_be_entered() {
        return [&site.enter, &site.exit].into_iter().for_each(|replaced| replaced.set_none());
    }
    let stack = MovedStack { is_go_call: object.is_of_go, ..MovedStack::default() };
    let mut make = |replaced, points: &mut dyn Iterator<Item = _>, entry, word: SystemCallWord| {
        open.make(replaced, &function, points, MovedPurpose { entry, word: word.to_word(), stack });
    };
    let number = site.number;
    let [enter, exit] = [false, true].map(|is_exit| SystemCallWord { number, is_exit });
    let [at_enter, at_exit] = entries;
    make(&site.enter, &mut call.enter_points(paddings.clone()), at_enter, enter);
    make(&site.exit, &mut call.exit_points(paddings), at_exit, exit);
}
