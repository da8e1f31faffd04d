//! The file of a session.

use crate::session_file::{DAMAGED, SessionFile};
use crate::size::{buffers, check_space, most_pages, specification};
use crate::{Error, Options, Timeline, clock, cpus};
use abi::control::{CONTROL_SIZE, FILTERING, FILTERING_OFFSET, SESSION_FILE};
use abi::instance::{InstanceState, RECORDING};
use control::{Clocks, ControlArea, FileLayout, Identity, NoLayout};
use ring_buffer::{Buffer, Specification};
use rustix::rand::{GetRandomFlags, getrandom};
use shm::Segment;
use std::ffi::CString;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A session that this process has mapped: one of its instances, and what they have in common.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    control: ControlArea,
    buffer: Buffer,
    instance: usize,
    /// What the number of the instance stood for when it was opened.
    state: Option<InstanceState>,
    /// Whose the file is that was opened.
    status: shm::Status,
}

impl Session {
    /// Creates a session at `path`, for its owner or a group, with all memory reserved but that for
    /// snapshots. It knows the agent's events; all are off. It gets its name when it is complete, so nobody
    /// finds half of it; after an error nothing is left.
    pub fn create(path: &Path, options: &Options) -> Result<Session, Error> {
        if path.symlink_metadata().is_ok() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        let cpus = cpus::allowed();
        check_space(path, options.buffer_kb, options.snapshots, &cpus)?;
        let unfinished = beside(path, "unfinished");
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&unfinished)
            .map_err(|error| Error::system(&unfinished, error))?;
        let created = Session::fill(path, &unfinished, options, &cpus).and_then(|session| {
            if let Some(group) = options.group {
                share(&unfinished.join(SESSION_FILE), group, FILE_FOR_GROUP)?;
                share(&unfinished, group, DIRECTORY_FOR_GROUP)?;
            }
            std::fs::rename(&unfinished, path).map_err(|error| Error::system(path, error))?;
            Ok(session)
        });
        if created.is_err() {
            let _ = std::fs::remove_dir_all(&unfinished);
        }
        created
    }

    fn fill(path: &Path, unfinished: &Path, options: &Options, cpus: &[bool]) -> Result<Session, Error> {
        let identity = Identity {
            number: random_number(),
            agent: events::FINGERPRINT,
            creator: std::process::id(),
            pid_namespace: pid_namespace(),
            created: Clocks::now(),
            trace_clock: options.clock,
        };
        let wanted = specification(options.buffer_kb, options.snapshots, cpus)?;
        let wanted = Specification {
            clock: clock::written(options.clock, options.tsc),
            overwrite: options.overwrite,
            identity: identity.number,
            most_pages: most_pages(wanted.pages, options.snapshots),
            ..wanted
        };
        let file = unfinished.join(SESSION_FILE);
        let not_laid_out = || Error::unusable(&file, "could not be laid out");
        let layout = layout(&wanted, options.instances).ok_or_else(not_laid_out)?;
        let reserved = wanted.reserved().ok_or_else(not_laid_out)?;
        let first = CONTROL_SIZE as u64;
        let reserved = [0..FILTERING_OFFSET + FILTERING as u64, first + reserved.start..first + reserved.end]
            .into_iter();
        let size = usize::try_from(layout.size()).map_err(|_| not_laid_out())?;
        drop(
            shm::create_sparse(&c_path(&file)?, size, reserved)
                .map_err(|error| Error::errno(&file, error))?,
        );
        let mapped = SessionFile::open(&file)?;
        let control = ControlArea::create(mapped.control()?, &identity, &layout);
        let buffer = Buffer::create(mapped.map(layout.buffer(RECORDING))?, &wanted);
        let (Some(control), Some(buffer)) = (control, buffer) else {
            return Err(not_laid_out());
        };
        mapped.extend(&control, &layout)?;
        control.set_buffer_kb(options.buffer_kb);
        for event in events::all() {
            let own_format = event.own_format().to_string();
            if !control.add_event_at(event.id, event.system, event.name, &own_format) {
                return Err(Error::unusable(&file, "has no space for the built-in events"));
            }
        }
        Ok(Session::with(path, control, buffer, RECORDING, mapped.file.status()))
    }

    /// Opens the session at `path`, the recording, which is always there, and checks that its file is of this
    /// version and in one piece.
    pub fn open(path: &Path) -> Result<Session, Error> {
        Session::open_instance(path, RECORDING)
    }

    /// The same for the instance of this number, which has a buffer.
    pub(crate) fn open_instance(path: &Path, instance: usize) -> Result<Session, Error> {
        let file = path.join(SESSION_FILE);
        let (control, buffer, status) = Session::map(path, instance)?;
        let buffer = Buffer::new(buffer).map_err(|error| Error::unusable(&file, error))?;
        if buffer.geometry().identity != control.identity().number {
            return Err(Error::unusable(&file, "put together from two sessions"));
        }
        Ok(Session::with(path, control, buffer, instance, status))
    }

    fn with(
        path: &Path,
        control: ControlArea,
        buffer: Buffer,
        instance: usize,
        status: shm::Status,
    ) -> Session {
        let state = control.instance_state(instance);
        Session { path: path.to_path_buf(), control, buffer, instance, state, status }
    }

    /// Maps a session's control area, and where an instance has its buffer. With whose file that is.
    pub(crate) fn map(path: &Path, instance: usize) -> Result<(ControlArea, Segment, shm::Status), Error> {
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
        Ok((control, opened.buffer(&layout, instance)?, opened.file.status()))
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wanted, and who takes part.
    pub fn control(&self) -> &ControlArea {
        &self.control
    }

    /// From the times in its buffer to those that are shown, by moments during its life.
    pub fn timeline(&self, moments: &[Clocks]) -> Timeline {
        Timeline::new(self.buffer.geometry().clock, self.trace_clock(), moments)
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
            return Err(Error::Truncated { path: self.path.clone() });
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

    /// Bytes of addresses that a process takes which attaches to it: for the control area and the buffer of
    /// the default instance, as large as that was made.
    pub fn attached_bytes(&self) -> u64 {
        CONTROL_SIZE as u64 + self.buffer.geometry().growth
    }

    /// The number of its instance: 0 for the recording.
    pub fn instance(&self) -> usize {
        self.instance
    }

    /// Whether its instance is still there.
    pub fn is_there(&self) -> bool {
        self.state.is_some() && self.control.instance_state(self.instance) == self.state
    }

    /// Its buffer alone, for who only writes.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// The buffer of its instance.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

/// The layout of a session's file with such buffers, in which so many instances can be made.
fn layout(buffer: &Specification<'_>, made: u32) -> Option<FileLayout> {
    let size = buffer.file_size()?;
    FileLayout::new(buffers(made, size), size, buffer.mapped_size()?)
}

/// The mode of a group's session file.
const FILE_FOR_GROUP: u32 = 0o660;

/// The mode of a group's directory: what is made in it is the group's, too.
pub(crate) const DIRECTORY_FOR_GROUP: u32 = 0o2770;

/// Gives a file or directory to a group. Only members of it may, and root.
pub(crate) fn share(path: &Path, group: u32, mode: u32) -> Result<(), Error> {
    std::os::unix::fs::chown(path, None, Some(group)).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => Error::NotAMember { group },
        _ => Error::system(path, error),
    })?;
    std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|error| Error::system(path, error))
}

/// A path beside a session's for what is no session yet, or no longer.
pub(crate) fn beside(path: &Path, state: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{state}-{}", std::process::id()));
    path.with_file_name(name)
}

pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| Error::system(path, ErrorKind::InvalidInput))
}

/// The inode of the pid namespace that this process counts in.
pub(crate) fn pid_namespace() -> u64 {
    rustix::fs::stat("/proc/self/ns/pid").map_or(0, |found| found.st_ino)
}

/// A number that no other session has, and that is not 0.
fn random_number() -> u64 {
    let mut bytes = [0; 8];
    let _ = getrandom(&mut bytes, GetRandomFlags::empty());
    u64::from_le_bytes(bytes) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn small() -> Options {
        Options { buffer_kb: 64, ..Options::default() }
    }

    #[test]
    fn a_session_is_its_owners_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        Session::create(&path, &small()).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join("session")), 0o600);
        let names: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(names.len(), 1, "nothing unfinished is left");
    }

    #[test]
    fn what_is_there_is_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        Session::create(&path, &small()).unwrap();
        assert!(matches!(Session::create(&path, &small()), Err(Error::Exists { .. })));
        assert!(Session::open(&path).is_ok());
    }

    #[test]
    fn foreign_and_damaged_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = directory.path().join(name);
            Session::create(&path, &small()).unwrap();
            path
        };
        let patch = |path: &Path, offset: usize, bytes: &[u8]| {
            let file = std::fs::File::options().write(true).open(path.join("session")).unwrap();
            file.write_all_at(bytes, offset as u64).unwrap();
        };
        let refusal = |path: &Path| match Session::open(path) {
            Err(Error::Unusable { reason, .. }) => reason,
            other => panic!("expected a refusal, got {other:?}"),
        };
        let path = make("magic");
        patch(&path, 0, b"somethin");
        assert_eq!(refusal(&path), "not a lookback session");
        let path = make("version");
        patch(&path, 8, &99u32.to_le_bytes());
        assert_eq!(refusal(&path), "session layout version 99, expected 8");
        let path = make("buffer-version");
        patch(&path, CONTROL_SIZE + 8, &99u32.to_le_bytes());
        assert_eq!(refusal(&path), "buffer layout version 99, expected 4");
        let path = make("short");
        let file = std::fs::File::options().write(true).open(path.join("session")).unwrap();
        file.set_len(CONTROL_SIZE as u64 + 8192).unwrap();
        assert_eq!(refusal(&path), "damaged session file");
        file.set_len(100).unwrap();
        assert_eq!(refusal(&path), "damaged session file");
        let path = make("identity");
        patch(&path, 24, &[1; 8]);
        assert_eq!(refusal(&path), "put together from two sessions");
    }

    #[test]
    fn what_does_not_fit_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = Options { buffer_kb: 16 << 20, ..Options::default() };
        let free = crate::place::free_bytes(&path).unwrap();
        if free < crate::size::session_bytes(options.buffer_kb, 0, &cpus::allowed()).unwrap() {
            assert!(matches!(Session::create(&path, &options), Err(Error::NoSpace { .. })));
        }
        assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none());
    }
}
