//! Bringing the process's code up to date with what is wanted.

use super::callers;
use super::commands::Replacement;
use super::common_case::use_case;
use super::conversion;
use super::graph;
use super::moved_code;
use super::objects::{self, TracedObject};
use super::off::{self, is_killed, kill, refused, say_off};
use super::opened;
use super::probe_places;
use super::probes::ProbePlacement;
use super::reference_counters;
use super::replaced_instructions::apply_all;
use super::search::{self, look, map_lists};
use super::self_test;
use super::system_called;
use super::system_calls::{self, SystemCallWishes};
use super::traced_site::TracedSite;
use super::turn::Turn;
use super::wishes::Wishes;
use crate::preload::memory::address_limit;
use crate::preload::object::{binding, mapped};
use crate::preload::process::sandbox;
use crate::preload::signal::running;
use abi::control::CallConversion;
use abi::remote::RemoteResult;
use control::{ControlArea, InstanceSet};
use core::sync::atomic::Ordering::{Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCTION_ID};
use function_filter::FunctionName;
use text_poke::plan::{Preparation, SiteState};
use text_poke::{Poke, Threads};
use trace_event::{AttachedSession, is_aside, session};

/// What the session wanted when the code was last brought up to date.
pub(crate) static DONE: AtomicU32 = AtomicU32::new(0);

/// What no session has wanted.
const NOTHING_DONE: u32 = u32::MAX;

/// The address of the word that says what it wants; 0 before the process is attached.
pub(crate) static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Whether the process is being detached, or was: then sites are off.
// Relaxed, everywhere: one turn at a time.
static IS_DETACHED: AtomicBool = AtomicBool::new(false);

/// Looks for sites in what the process has mapped at its start, and switches those on that are wanted.
/// Whether the caller `is_alone`, and no function is entered where it is.
pub(crate) fn start(is_alone: bool) {
    if let Some(session) = session() {
        conversion::start(session.control());
        let wanted = &raw const *session.control().functions_wanted_word();
        WANTED.store(wanted.expose_provenance(), Relaxed);
        // Others find the session already, and may have taken it for the one that the process has left.
        if IS_DETACHED.swap(false, Relaxed) {
            DONE.store(NOTHING_DONE, Relaxed);
        }
        if may_change()
            && let Some(mut turn) = Turn::take()
        {
            objects::enter_known(session.control());
            look(session, &mut turn, false);
        }
        keep_up(0, if is_alone { Threads::Alone } else { Threads::Running });
    }
}

/// Brings the code up to date, if other functions are wanted than before: in a thread that is about to make a
/// call, or has made it, with its frame at this address. Where it can't be done here and now, the next call
/// does it.
///
/// Cost: five loads and a comparison where there is nothing to do.
#[inline(always)]
pub(crate) fn keep_up(frame: usize, threads: Threads) {
    if let Some(session) = session()
        && (session.control().functions_wanted() != DONE.load(Relaxed)
            || opened::is_unseen()
            || conversion::is_due(session.control()))
    {
        update(session, frame, threads);
    }
}

#[cold]
#[inline(never)]
fn update(session: AttachedSession, frame: usize, threads: Threads) {
    if !may_change() {
        return;
    }
    let Some(mut turn) = Turn::take() else { return };
    let is_unseen = opened::is_unseen();
    if (is_unseen || search::is_due(session.control())) && opened::have_returned(frame) {
        if is_unseen {
            // Before: what is loaded from here on is unseen again.
            opened::looks();
            mapped::keep_up();
            binding::keep_up();
        }
        look(session, &mut turn, threads == Threads::Running);
        // What was found there has to be brought up to date.
        DONE.store(session.control().functions_wanted().wrapping_sub(1), Relaxed);
    }
    let control = session.control();
    if control.functions_wanted() != DONE.load(Relaxed) || conversion::is_due(control) {
        update_all(session, threads, &turn);
    }
}

/// Has calls of the program lead to the wrappers from now on, in a process that we were brought into. False
/// where somebody else has the turn.
pub(crate) fn bind() -> bool {
    let Some(_turn) = Turn::take() else { return false };
    binding::start();
    true
}

/// Has calls lead to libc again, and disables all sites: before the process is detached. False where somebody
/// else has the turn.
pub(crate) fn detach(session: AttachedSession) -> bool {
    let Some(turn) = Turn::take() else { return false };
    binding::stop();
    IS_DETACHED.store(true, Relaxed);
    update_again(session, &turn);
    true
}

/// Forgets what the session has wanted that the process was detached from: it is attached to another one.
pub(crate) fn forget_session() {
    WANTED.store(0, Relaxed);
    DONE.store(NOTHING_DONE, Relaxed);
    search::forget();
    objects::forget_entries();
    graph::forget_profile();
}

/// Enables the sites that are wanted, once the process is attached again. False where somebody else has the
/// turn.
pub(crate) fn attach_again(session: AttachedSession) -> bool {
    let Some(mut turn) = Turn::take() else { return false };
    IS_DETACHED.store(false, Relaxed);
    look(session, &mut turn, true);
    update_again(session, &turn);
    true
}

fn update_again(session: AttachedSession, turn: &Turn) {
    DONE.store(session.control().functions_wanted().wrapping_sub(1), Relaxed);
    update_all(session, Threads::Running, turn);
}

/// Brings the code up to date, if that can be done here and now: next to other threads.
pub(super) fn try_update() -> RemoteResult {
    let Some(session) = session() else { return RemoteResult::NotAttached };
    if !may_change() {
        return RemoteResult::Refused;
    }
    let Some(mut turn) = Turn::take() else { return RemoteResult::Busy };
    // Elsewhere the thread may hold the dynamic linker's lock, and a wrapped call comes later.
    if cfg!(feature = "static_program") && search::is_due(session.control()) {
        look(session, &mut turn, true);
    }
    update_all(session, Threads::Running, &turn);
    RemoteResult::Done
}

/// Brings the code of all objects up to date.
fn update_all(session: AttachedSession, threads: Threads, turn: &Turn) {
    let control = session.control();
    let wanted = control.functions_wanted();
    callers::choose(wanted != 0, objects::have_unlisted());
    let converting = !is_killed() && conversion::begin(control);
    let how = HowToUpdate { threads, converting };
    let is_changed = wanted != DONE.load(Relaxed);
    let traced = match objects::is_any() {
        true if is_changed => update_objects(session, how, turn),
        true => {
            let traced = objects::all().map(|object| apply_object(session, object, how)).sum();
            // Then all sites are to be disabled.
            if how.converting && is_killed() { update_objects(session, how, turn) } else { traced }
        }
        false => 0,
    };
    DONE.store(wanted, Release);
    if let Some(process) = session.process() {
        control.functions_done(process, wanted, traced);
        call_no_more_of_deleted(control);
    }
}

/// Where the session was deleted nobody else does: the last process that has looked says that no other has
/// to.
fn call_no_more_of_deleted(control: &ControlArea) {
    let is_deleted = !control.may_trace_functions() && control.is_calling();
    if is_deleted && !control.outdated_functions().any(|process| process.status.may_call()) {
        control.call_processes(false);
    }
}

/// Whether code may be changed here and now: by system calls, some of which take memory.
fn may_change() -> bool {
    !sandbox::may_be_there() && !running::is_running() && !address_limit::are_set() && !is_aside()
}

/// How sites are switched.
#[derive(Debug, Clone, Copy)]
struct HowToUpdate {
    /// Whether others run.
    threads: Threads,
    /// Whether calls of `mcount` are made nops.
    converting: bool,
}

/// Switches the sites of all objects. How many are on.
fn update_objects(session: AttachedSession, how: HowToUpdate, turn: &Turn) -> u32 {
    let control = session.control();
    let is_killed = is_killed();
    let is_gone = is_killed || IS_DETACHED.load(Relaxed);
    let is_off = is_gone || !control.may_trace_functions();
    let on = |event| if is_off { InstanceSet::default() } else { control.switched(event).on };
    let (tracing, graphing) = (on(FUNCTION_ID), on(FUNCGRAPH_ENTRY_ID));
    let profile = (!is_off && control.is_profiling() && graph::can_profile(session))
        .then(|| control.profiled_instance());
    let is_any = !tracing.is_empty()
        || !graphing.is_empty()
        || profile.is_some()
        || control.commanding().next().is_some()
        || control.has_probes();
    if is_any && !control.has_functions() && map_lists(session).is_none() {
        return 0;
    }
    let commands = &Replacement::begin(control, is_off, turn);
    let probes = &ProbePlacement::begin(control, is_gone, turn);
    let called = SystemCallWishes::of(control, is_gone);
    system_called::ARE_SEEN.store(called.is_any(), Relaxed);
    let wishes = Wishes { control, tracing, graphing, profile, commands, probes };
    if wishes.is_any() {
        objects::all().filter(|object| wishes.may_want(object)).for_each(TracedObject::find_sites);
    }
    use_case(wishes.common_case());
    let traced = objects::all().map(|object| update_object(session, &wishes, object, how)).sum();
    for object in objects::all() {
        probes.place_rest(object);
        probe_places::apply_at(session, object, how.threads);
        probes.count_unplaced(object);
        system_calls::apply_at(session, called, object, how.threads);
        reference_counters::apply(objects::key(object));
    }
    if !is_killed && off::is_killed() {
        return update_objects(session, how, turn);
    }
    traced
}

/// Has the functions of an object wanted by those who want them, and switches its sites. How many are on.
fn update_object(
    session: AttachedSession,
    wishes: &Wishes<'_>,
    object: &TracedObject,
    how: HowToUpdate,
) -> u32 {
    let has_sites = !object.sites.all().is_empty();
    if has_sites {
        let wanted_by = |name: FunctionName<'_>| {
            let wanted = wishes.of(name, object.name(), object.is_built);
            // Nothing of ours may be on a goroutine's stack, which is copied elsewhere with what is there.
            if object.is_of_go { wanted.without_returns() } else { wanted }
        };
        object.sites.choose(&object.symbols, object.base, &wanted_by);
    }
    wishes.probes.place(object);
    if !has_sites {
        return 0;
    }
    apply_object(session, object, how)
}

/// Switches the sites of an object as they are wanted. How many are on.
fn apply_object(session: AttachedSession, object: &TracedObject, how: HowToUpdate) -> u32 {
    let trampolines = &object.trampolines;
    let is_alone = how.threads == Threads::Alone;
    let sites = object.sites.all();
    // Alone, sites that have to be prepared alone are prepared, whether they are wanted or not.
    let changes = |site: &TracedSite| site.change(how.converting).is_some() || is_alone;
    if !sites.iter().any(changes) {
        return traced(object);
    }
    if let Err(off) = self_test::pass(how.threads) {
        if !is_killed() {
            kill(session, off, None);
        }
        return traced(object);
    }
    if !object.is_built
        && let Err(why) = moved_code::make(object, how.threads)
    {
        say_off(session, refused(why), Some(object));
        return traced(object);
    }
    let single = sites.iter().filter(|site| site.has_single_nops()).map(TracedSite::nops);
    if let Err(why) = trampolines.make(&object.text.pages, single) {
        say_off(session, refused(why), Some(object));
        return traced(object);
    }
    let planned = sites.iter().filter_map(|site| {
        let prepared = (is_alone && !site.is_traced()).then_some(SiteState::Off);
        let change = site.change(how.converting).or(prepared)?;
        let plan = site.plan(trampolines).ok()?;
        let is_needy = plan.preparation() == Preparation::Alone;
        let is_ready = !is_needy || is_alone || site.is_prepared();
        let changes = site.change(how.converting).is_some() || is_needy;
        changes.then_some((site, plan, change, is_ready))
    });
    let without_entry = |site: &&TracedSite| site.is_wanted() && site.entry.is_missing();
    let late = match object.is_built {
        true => planned.clone().filter(|(.., is_ready)| !is_ready).count(),
        false => sites.iter().filter(without_entry).count(),
    };
    session.control().set_late_sites(object.entry(), late as u64);
    let planned = planned.filter(|(.., is_ready)| *is_ready);
    let pokes = planned.clone().map(|(_, plan, wanted, _)| Poke { plan, wanted });
    let newly = sites.iter().filter(|site| site.change(how.converting) == Some(SiteState::On));
    let apart = newly.filter_map(|site| Some(Poke { plan: site.plan_apart()?, wanted: SiteState::On }));
    if apply_all(session, object, apart, how.threads) && apply_all(session, object, pokes, how.threads) {
        let mut converted = 0;
        for (site, _, state, _) in planned {
            converted += u64::from(site.set_changed(state, is_alone));
        }
        session.control().count_conversions(CallConversion::Converted, converted);
    }
    traced(object)
}

fn traced(object: &TracedObject) -> u32 {
    object.sites.all().iter().filter(|site| site.is_traced()).count() as u32
}
