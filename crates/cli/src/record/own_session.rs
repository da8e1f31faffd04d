//! The session of a recording: one of its own, or one that was asked for.

use crate::arguments::Record;
use crate::failure::{Done, Failure};
use rustix::fs::{FlockOperation, flock};
use session::{DEFAULT_KB, Options, Place, Selection, Session, fitting_kb};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What the names of sessions start with that live as long as one recording.
const PRIVATE: &str = "record-";

/// A session that this process records. What it has made it removes, whatever happens.
#[derive(Debug)]
pub(crate) struct OwnSession {
    session: Session,
    /// Held as long as the session is recorded; goes with the process.
    _lock: File,
    is_made: bool,
    /// Events that this recording has switched on.
    enabled: Vec<u16>,
}

impl OwnSession {
    /// Makes or opens the session and switches on what is to be recorded.
    pub(crate) fn prepare(place: &Place, arguments: &Record) -> Done<OwnSession> {
        remove_abandoned(place);
        let path = match &arguments.session {
            Some(name) => place.session(Some(name))?,
            None => place.path().join(format!("{PRIVATE}{}", std::process::id())),
        };
        let is_made = path.symlink_metadata().is_err();
        let session = if is_made { make(&path, arguments.buffer_size)? } else { open(&path, arguments)? };
        let lock = match lock(&path) {
            Ok(lock) => lock,
            Err(error) => {
                if is_made {
                    let _ = Session::remove(&path);
                }
                return Err(error);
            }
        };
        let mut own = OwnSession { session, _lock: lock, is_made, enabled: Vec::new() };
        own.enable(&arguments.events)?;
        Ok(own)
    }

    /// Its directory.
    pub(crate) fn path(&self) -> &Path {
        self.session.path()
    }

    fn enable(&mut self, selections: &[Selection]) -> Done<()> {
        let default = [Selection::default()];
        let selections = if selections.is_empty() { &default } else { selections };
        let before: Vec<u16> = self.enabled_events();
        for selection in selections {
            self.session.enable(selection)?;
        }
        self.enabled = self.enabled_events();
        self.enabled.retain(|id| !before.contains(id));
        Ok(())
    }

    fn enabled_events(&self) -> Vec<u16> {
        self.session.events().filter(|event| event.enabled).map(|event| event.id).collect()
    }

    /// Switches off what was switched on: processes that go on running pay nothing more.
    pub(crate) fn end(&self) {
        for id in &self.enabled {
            self.session.control().enable(*id, 0, false);
        }
    }
}

impl Drop for OwnSession {
    fn drop(&mut self) {
        self.end();
        if self.is_made {
            let _ = Session::remove(self.session.path());
        }
    }
}

fn make(path: &Path, kb: Option<u64>) -> Done<Session> {
    let buffer_kb = match kb {
        Some(kb) => kb,
        None => fitting_kb(path, DEFAULT_KB)?,
    };
    Ok(Session::create(path, &Options { buffer_kb, overwrite: true })?)
}

fn open(path: &Path, arguments: &Record) -> Done<Session> {
    if arguments.buffer_size.is_some() {
        let shown = path.display();
        return Err(Failure::failed(format_args!(
            "{shown} is there already, with buffers of its own: leave out -b, or name another session"
        )));
    }
    Ok(Session::open(path)?)
}

/// Makes sure that nobody else empties the session's buffers.
fn lock(path: &Path) -> Done<File> {
    let failed = |error: std::io::Error| Failure::failed(format_args!("{}: {error}", path.display()));
    let directory = File::open(path).map_err(failed)?;
    flock(&directory, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
        rustix::io::Errno::WOULDBLOCK => Failure::failed(format_args!(
            "{} is being recorded by another lookback: wait for it, or name another session",
            path.display()
        )),
        error => failed(error.into()),
    })?;
    Ok(directory)
}

/// Removes what recordings have left behind that were killed: their locks are gone.
fn remove_abandoned(place: &Place) {
    let Ok(entries) = std::fs::read_dir(place.path()) else { return };
    let is_private = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PRIVATE)) && path.is_dir()
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(is_private) {
        if is_old(&path) && lock(&path).is_ok() {
            let _ = Session::remove(&path);
        }
    }
}

/// Whether it was there for some time: a session is locked soon after it is made.
fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|found| found.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() >= 10))
}
