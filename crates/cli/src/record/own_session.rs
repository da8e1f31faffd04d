//! The session of a recording: one of its own, or one that was asked for.

use super::missing_functions::missing_functions;
use crate::arguments::RecordArguments;
use crate::failure::{Done, Failure};
use crate::persistent::set_triggers;
use crate::probes::OwnProbes;
use crate::say::say;
use session::{
    DEFAULT_KB, FilteredSelection, Instance, Lock, Selection, Session, SessionOptions, SessionsDirectory,
    Settings, TraceClock, addressable_kb, fitting_kb, most_addresses, session_path,
};
use std::path::Path;

/// What the names of sessions start with that live as long as one recording.
const PRIVATE: &str = "record-";

/// A session that this process records. What it has made it removes, whatever happens.
#[derive(Debug)]
pub(crate) struct OwnSession {
    session: Instance,
    /// Held as long as the session is recorded; goes with the process.
    _lock: Lock,
    is_made: bool,
    /// What was on before this recording has switched events on.
    before: Option<Settings>,
    /// What this recording has enabled.
    selections: Vec<FilteredSelection>,
    /// The triggers that it has set, and the events that have them.
    triggers: Vec<(Vec<u16>, String)>,
    /// The probes that it has defined.
    probes: OwnProbes,
}

impl OwnSession {
    /// Makes or opens the session and enables what is to be recorded.
    pub(crate) fn prepare(arguments: &RecordArguments) -> Done<OwnSession> {
        let place = SessionsDirectory::of_user();
        if let Ok(place) = &place {
            remove_abandoned(place);
        }
        let path = match &arguments.session {
            Some(name) => session_path(Some(name))?,
            None => place?.path().join(format!("{PRIVATE}{}", std::process::id())),
        };
        let is_made = path.symlink_metadata().is_err();
        let session = if is_made { make(&path, arguments)? } else { open(&path, arguments)? };
        let lock = match Lock::reader(&path) {
            Ok(lock) => lock,
            Err(error) => {
                if is_made {
                    let _ = Session::remove(&path);
                }
                return Err(error.into());
            }
        };
        let mut own = OwnSession {
            session,
            _lock: lock,
            is_made,
            before: None,
            selections: Vec::new(),
            triggers: Vec::new(),
            probes: OwnProbes::default(),
        };
        let (probes, events) = OwnProbes::define(own.session.session(), &arguments.recording.probes)?;
        own.probes = probes;
        // A filter of -e holds, and is set after.
        own.enable(events.into_iter().chain(arguments.recording.wanted_events()).collect())?;
        own.triggers = set_triggers(&own.session, &arguments.recording)?;
        arguments.recording.apply_stack_options(&own.session)?;
        arguments.recording.functions.apply(&own.session)?;
        Ok(own)
    }

    /// Its directory.
    pub(crate) fn path(&self) -> &Path {
        self.session.path()
    }

    fn enable(&mut self, selections: Vec<FilteredSelection>) -> Done<()> {
        for selection in &selections {
            self.session.check_enable(selection)?;
        }
        self.before = Some(self.session.settings());
        for selection in &selections {
            self.session.enable(selection)?;
        }
        self.selections = selections;
        Ok(())
    }

    /// What was to be recorded, but no program has brought such an event.
    pub(crate) fn unmatched(&self) -> Vec<String> {
        let selections = self.selections.iter().map(|wanted| &wanted.selection);
        let has_none = |selection: &&Selection| !self.session.has_selected(selection);
        selections.filter(has_none).map(|selection| selection.text().to_string()).collect()
    }

    /// What to say of functions that were to be traced, and couldn't be.
    pub(crate) fn missing_functions(&self) -> Option<String> {
        missing_functions(&self.session)
    }

    /// The latency tracer, if one was current, and the longest section that it has measured, in ns.
    pub(crate) fn longest(&self) -> Option<(&'static str, u64)> {
        let tracer = self.session.tracer();
        tracer.measures_latency().then(|| (tracer.name, self.session.max_latency()))
    }

    /// Puts back what was on before: processes that go on running pay nothing more.
    pub(crate) fn end(&mut self) {
        if let Some(before) = self.before.take() {
            // An event that was there before has a slot.
            let _ = self.session.restore(&before);
        }
        for (ids, text) in self.triggers.drain(..) {
            self.session.remove_triggers(&ids, &text);
        }
    }
}

impl Drop for OwnSession {
    fn drop(&mut self) {
        self.end();
        // Not before: whoever writes the recording looks for their events.
        self.probes.remove(self.session.session());
        if self.is_made {
            let _ = Session::remove(self.session.path());
        }
    }
}

fn make(path: &Path, arguments: &RecordArguments) -> Done<Instance> {
    let wanted_kb = match arguments.recording.buffer_size {
        Some(kb) => kb,
        None => fitting_kb(path, DEFAULT_KB, 0)?,
    };
    let buffer_kb = addressable_kb(wanted_kb, 0)?;
    if let Some(most) = most_addresses().filter(|_| buffer_kb < wanted_kb) {
        say!(
            "lookback: buffers of {buffer_kb} KB for each CPU, not {wanted_kb}: the program's addresses are limited \
             (ulimit -v), and leave {} KB for the recording",
            most / 1024
        );
    }
    let clock = arguments.recording.clock.unwrap_or(TraceClock::Mono);
    Ok(Session::create(path, &SessionOptions { buffer_kb, clock, ..SessionOptions::default() })?)
}

fn open(path: &Path, arguments: &RecordArguments) -> Done<Instance> {
    if arguments.recording.buffer_size.is_some() {
        let shown = path.display();
        return Err(Failure::failed(format_args!(
            "{shown} exists already, with buffers of its own: leave out -b, or name another session"
        )));
    }
    let session = Instance::open(path)?;
    session.session().check_trusted()?;
    let clock = session.trace_clock();
    if arguments.recording.clock.is_some_and(|wanted| wanted != clock) {
        let (shown, clock) = (path.display(), clock.name());
        return Err(Failure::failed(format_args!(
            "{shown} exists already, with the clock {clock}: leave out -C, or name another session"
        )));
    }
    Ok(session)
}

/// Removes what killed recordings have left: their locks are gone.
fn remove_abandoned(place: &SessionsDirectory) {
    let Ok(entries) = std::fs::read_dir(place.path()) else { return };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| is_old(path) && is_abandoned(path))
    {
        let _ = Session::remove(&path);
    }
}

/// Whether a directory is one that a recording has made for itself alone, and left when it was killed; or one
/// in which it hasn't begun.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    is_private(path) && Lock::reader(path).is_ok()
}

fn is_private(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PRIVATE)) && path.is_dir()
}

/// Whether it was there for some time: a session is locked soon after it is made.
fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|found| found.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() >= 10))
}
