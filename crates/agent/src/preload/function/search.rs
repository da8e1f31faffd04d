//! Looking for sites in what the process has mapped.

use super::objects::{self, ObjectSearch};
use super::turn::Turn;
use super::{callers, files, probes};
use crate::preload::object::elf::LoadedObject;
use crate::preload::object::{image, mapped};
use control::ControlArea;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64};
use trace_event::AttachedSession;

/// Whether objects were looked at for functions that lists name.
// Relaxed, everywhere: one turn at a time.
static IS_NAMING: AtomicBool = AtomicBool::new(false);

/// Whether they were looked at for system calls.
static IS_CALLING: AtomicBool = AtomicBool::new(false);

/// Which probes of the session objects were looked at for.
static PROBES: AtomicU64 = AtomicU64::new(0);

/// Forgets what was looked for, with the session that wanted it.
pub(super) fn forget() {
    IS_NAMING.store(false, Relaxed);
    IS_CALLING.store(false, Relaxed);
    PROBES.store(0, Relaxed);
}

/// Whether lists or probes are new in the session, or system calls are wanted: what they name may be in any
/// object.
pub(super) fn is_due(control: &ControlArea) -> bool {
    control.has_function_lists() && !IS_NAMING.load(Relaxed)
        || control.system_calls_wanted() && !IS_CALLING.load(Relaxed)
        || control.probes_version() != PROBES.load(Relaxed)
}

/// Looks for sites in what the process has mapped.
pub(super) fn look(session: AttachedSession, turn: &mut Turn, is_late: bool) {
    // Functions that were not built to be traced are traced only where a list names them.
    let control = session.control();
    let is_naming = control.has_function_lists();
    if is_naming {
        IS_NAMING.store(true, Relaxed);
    }
    let with_system_calls = control.system_calls_wanted() || IS_CALLING.load(Relaxed);
    IS_CALLING.store(with_system_calls, Relaxed);
    // Before: probes that come meanwhile are looked for again.
    PROBES.store(control.probes_version(), Relaxed);
    let has_probes = control.has_probes() && (control.has_functions() || map_lists(session).is_some());
    mapped::for_each_entered(session.control(), &mut |object, entry| {
        let is_named = is_naming || has_probes && is_probed(control, object);
        let with_unbuilt = is_named && !is_own(object);
        let with_system_calls = with_system_calls && !is_own(object);
        if session.control().may_have_sites(entry) || with_unbuilt || with_system_calls {
            let counted = session.control().sites(entry);
            let how = ObjectSearch { with_unbuilt, with_system_calls, is_late };
            let found = objects::add(object, entry, counted, how, turn);
            if let Some(found) = found.filter(|_| counted.is_none()) {
                session.control().set_sites(entry, found);
            }
        }
    });
    callers::choose(session.control().functions_wanted() != 0, objects::have_unlisted());
}

/// Whether any probe is in the file of an object.
fn is_probed(control: &ControlArea, object: &LoadedObject<'_>) -> bool {
    let path = if object.path.is_empty() { c"/proc/self/exe" } else { object.path };
    probes::mention(control, files::identity(object.build_id(), path))
}

/// Whether an object is this one.
fn is_own(object: &LoadedObject<'_>) -> bool {
    object.text().is_none_or(|text| image::span().contains(&(text.pages.start as usize)))
}

/// Maps what the session has of lists.
pub(super) fn map_lists(session: AttachedSession) -> Option<()> {
    let control = session.control();
    control.use_functions(control.map_more(session.function_lists())?);
    Some(())
}
