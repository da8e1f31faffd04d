//! Persistent sessions: no process serves them, and all of these tasks map the same file.

mod attached;
mod container;
mod dropin;
mod extract;
mod follow;
mod install;
mod kept;
mod latency;
mod left_out;
mod list;
mod longest;
mod pending;
mod persist;
mod places_in_files;
mod run;
mod saving;
mod session_text;
mod session_time;
mod session_unit;
mod set;
mod show;
mod snapshot;
mod snapshots;
mod start;
mod stat;
mod switch;
mod system_calls;
mod taken;
mod threads;
mod unit;
mod usdt;
mod watched_session;

pub(crate) use extract::extract;
pub(crate) use install::install;
pub(crate) use latency::latency;
pub(crate) use list::list;
pub(crate) use persist::persist;
pub(crate) use run::{note_what_is_missing, run};
pub(crate) use set::set;
pub(crate) use show::{copied, show};
pub(crate) use snapshot::snapshot;
pub(crate) use snapshots::snapshots;
pub(crate) use start::{set_triggers, start};
pub(crate) use stat::stat;
pub(crate) use switch::{clear, delete, reset, stop};

use crate::arguments::{InstanceArguments, SessionArguments};
use crate::failure::Done;
use control::Clocks;
use ring_buffer::Clock;
use session::{FLIGHT, Instance, SessionsDirectory, Timeline, TraceClock, session_path};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl SessionArguments {
    /// The session's directory, whether it is there or not.
    fn path(&self) -> Done<PathBuf> {
        Ok(session_path(self.session.as_deref())?)
    }

    /// The session, which has to be there.
    pub(crate) fn open(&self) -> Done<Instance> {
        let session = Instance::open(&self.path()?)?;
        session.forget_dead_reader();
        Ok(session)
    }
}

impl InstanceArguments {
    /// Whether the recording is meant.
    fn is_recording(&self) -> bool {
        self.name.as_deref().is_none_or(|name| name == FLIGHT)
    }

    /// This instance of the session. Both have to be there.
    pub(crate) fn open(&self) -> Done<Instance> {
        let session = self.which.open()?;
        match &self.name {
            Some(name) => Ok(session.session().open_named(name)?),
            None => Ok(session),
        }
    }
}

/// What has to be said to other tasks so that they mean the session at `path`.
pub(crate) fn option(path: &Path) -> String {
    if (SessionArguments { session: None }).path().is_ok_and(|default| default == path) {
        return String::new();
    }
    format!(" --session {}", session_argument(path).display())
}

/// What `--session` gets so that the session at `path` is meant.
fn session_argument(path: &Path) -> &Path {
    let is_own = SessionsDirectory::of_user().is_ok_and(|place| path.parent() == Some(place.path()));
    path.file_name().map(Path::new).filter(|_| is_own).unwrap_or(path)
}

/// How long ago times in the session's buffer were, in ns; None where events are counted.
fn ages(session: &Instance) -> impl Fn(u64) -> Option<u64> {
    let moments = [session.control().identity().created, Clocks::now()];
    let (clock, now) = (session.buffer().geometry().clock, session.buffer().now());
    let timeline = Timeline::new(clock, TraceClock::Mono, &moments);
    move |time| (clock != Clock::Counter).then(|| timeline.time(now).saturating_sub(timeline.time(time)))
}

/// How many events are on.
fn events_on(session: &Instance) -> usize {
    session.control().event_ids().filter(|id| session.control().is_enabled(*id, session.index())).count()
}

/// How many of those have a filter, as an addition; nothing where none has.
fn filtered(session: &Instance) -> String {
    let control = session.control();
    let instance = session.index();
    let is_filtered = |id: &u16| control.is_enabled(*id, instance) && control.has_filter(*id, instance);
    match control.event_ids().filter(is_filtered).count() {
        0 => String::new(),
        count => format!(", {count} of them with a filter"),
    }
}

/// Bytes of memory that the session takes now.
fn memory(session: &Instance) -> u64 {
    session.file().metadata().map_or(0, |found| found.blocks() * 512)
}
