//! A session: its directory, and the file that all who use it map.

mod companions;
mod conversion;
mod creation;
mod enabled_functions;
mod functions;
mod functions_off;
mod group;
mod instances;
mod lock;
mod mapping;
mod padding;
mod paths;
mod probe_obstacle;
mod probed_file;
mod probed_files;
mod probes;
mod profile;
mod removal;
mod rules;
mod system_call_place;
mod top_level;
mod traceable;
mod traced_by;
mod unbuilt;
mod unnamed;

pub(crate) use companions::{CPU_LOCK, ERROR_LOG, FUNCTIONS, OPEN, PREFERENCES, PROBES, SAVED, SAVING};
pub use conversion::ConversionCounts;
pub use enabled_functions::EnabledFunction;
pub(crate) use group::{DIRECTORY_FOR_GROUP, share};
pub use instances::MOST_INSTANCES;
pub use lock::Lock;
pub(crate) use lock::lock;
pub(crate) use paths::{c_path, is_sibling};
pub use probed_file::{ProbedFile, is_named};
pub use probes::{ProbeCounts, SessionProbe};
pub use profile::CpuProfile;
pub use system_call_place::{SystemCallPlace, SystemCallSight};
pub use traceable::{SiteObstacle, TraceableFunction, TraceableName};
pub use traced_by::TracedBy;
pub use unnamed::unnamed_functions;

use crate::Error;
use abi::control::{CONTROL_SIZE, SESSION_FILE};
use control::{Clocks, ControlArea, FileLayout, NoLayout};
use mapping::{DAMAGED, SessionFile};
use shm::Segment;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A session that this process has mapped: what its instances have in common.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    control: ControlArea,
    pub(crate) layout: FileLayout,
    /// Whose the file is that was opened.
    status: shm::Status,
}

impl Session {
    /// Opens the session at `path`, and checks that its file is of this version.
    pub fn open(path: &Path) -> Result<Session, Error> {
        Session::open_file(path).map(|(session, ..)| session)
    }

    /// Opens it, and maps where an instance has its buffer.
    pub(crate) fn open_with_buffer(path: &Path, instance: usize) -> Result<(Session, Segment), Error> {
        let (session, file, layout) = Session::open_file(path)?;
        Ok((session, file.buffer(&layout, instance)?))
    }

    fn open_file(path: &Path) -> Result<(Session, SessionFile, FileLayout), Error> {
        let file = path.join(SESSION_FILE);
        let found = file.metadata().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::NoSession { path: path.to_path_buf() },
            _ => Error::system(&file, error),
        })?;
        if !found.is_file() || found.len() < CONTROL_SIZE as u64 {
            return Err(Error::unusable(&file, DAMAGED));
        }
        let opened = SessionFile::open(&file)?;
        let layout = FileLayout::read(&opened.file).map_err(|reason| match reason {
            NoLayout::System(error) => Error::errno(&file, error),
            NoLayout::Unusable(reason) => Error::unusable(&file, reason),
        })?;
        let control = opened.control()?;
        let control = ControlArea::new(control).map_err(|error| Error::unusable(&file, error))?;
        if control.identity().agent != events::FINGERPRINT {
            return Err(Error::unusable(&file, "made by a lookback with other events"));
        }
        opened.extend(&control, &layout)?;
        control.refine_tick_rate(&Clocks::now());
        let session = Session { path: path.to_path_buf(), control, layout, status: opened.file.status() };
        Ok((session, opened, layout))
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wanted in its instances, and which processes are attached.
    pub fn control(&self) -> &ControlArea {
        &self.control
    }

    /// Its file.
    pub fn file(&self) -> PathBuf {
        self.path.join(SESSION_FILE)
    }

    /// Checks that nothing of its file was missed that was there when it was opened. Only a process that has
    /// called [`shm::outlive_truncation`] can ask.
    pub fn check_whole(&self) -> Result<(), Error> {
        let is_whole = || self.file().metadata().is_ok_and(|found| found.len() >= self.status.len);
        if shm::was_truncated() && !is_whole() {
            return Err(Error::Truncated(self.path.clone()));
        }
        Ok(())
    }

    /// Checks that a program of this user's may be run in it: an attached program is at the mercy of who
    /// may make the file shorter. Programs check it themselves, and run unrecorded.
    pub fn check_trusted(&self) -> Result<(), Error> {
        match self.status.is_trusted_by(rustix::process::geteuid().as_raw()) {
            true => Ok(()),
            false => Err(Error::ForeignSession { path: self.path.clone(), owner: self.status.owner }),
        }
    }
}
