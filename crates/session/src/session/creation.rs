//! Making a session.

use super::Session;
use super::group::{DIRECTORY_FOR_GROUP, FILE_FOR_GROUP, share};
use super::mapping::SessionFile;
use super::paths::{UNFINISHED, c_path, sibling};
use crate::size::{buffers, check_space, most_pages, specification};
use crate::{Error, Instance, SessionOptions, clock, this_process};
use abi::control::{CONTROL_SIZE, FILTERING, FILTERING_OFFSET, SESSION_FILE};
use abi::instance::RECORDING;
use control::{Clocks, ControlArea, FileLayout, Identity};
use ring_buffer::{Buffer, Specification};
use rustix::rand::{GetRandomFlags, getrandom};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

impl Session {
    /// Creates a session at `path`, for its owner or a group, with all memory reserved but that for
    /// snapshots. It knows the agent's events; all are off. It gets its name when it is complete, so nobody
    /// finds half of it; after an error nothing is left. What is returned is its default instance.
    pub fn create(path: &Path, options: &SessionOptions) -> Result<Instance, Error> {
        if path.symlink_metadata().is_ok() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        let cpus = this_process::allowed_cpus();
        check_space(path, options.buffer_kb, options.snapshots, &cpus)?;
        let unfinished = sibling(path, UNFINISHED);
        std::fs::DirBuilder::new().mode(0o700).create(&unfinished).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::NoDirectory(path.to_path_buf()),
            _ => Error::system(path, error),
        })?;
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

    fn fill(
        path: &Path,
        unfinished: &Path,
        options: &SessionOptions,
        cpus: &[bool],
    ) -> Result<Instance, Error> {
        let identity = Identity {
            number: random_number(),
            agent: events::FINGERPRINT,
            creator: std::process::id(),
            pid_namespace: this_process::pid_namespace(),
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
            if !control.add_built_in_event(event.id, event.system, event.name) {
                return Err(Error::unusable(&file, "has no space for the built-in events"));
            }
        }
        if clock::counts_durations(options.clock, options.tsc) {
            control.use_tick_rate(&measured(&identity.created));
        }
        let session = Session { path: path.to_path_buf(), control, layout, status: mapped.file.status() };
        Ok(Instance::new(session, buffer, RECORDING))
    }
}

/// The clocks, once the time since `created` is long enough for the rate of the counter to be known to some
/// parts in ten thousand; later readings make it more exact.
fn measured(created: &Clocks) -> Clocks {
    const LEAST: u64 = 1_000_000;
    loop {
        let now = Clocks::now();
        if now.mono.abs_diff(created.mono) >= LEAST {
            return now;
        }
    }
}

/// The layout of a session's file with such buffers, in which so many instances can be made.
fn layout(buffer: &Specification<'_>, made: u32) -> Option<FileLayout> {
    let size = buffer.file_size()?;
    FileLayout::new(buffers(made, size), size, buffer.mapped_size()?, buffer.cpus.len() as u32)
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
    use std::os::unix::fs::{FileExt, PermissionsExt};

    fn small() -> SessionOptions {
        SessionOptions { buffer_kb: 64, ..SessionOptions::default() }
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
        assert!(Instance::open(&path).is_ok());
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
        let refusal = |path: &Path| match Instance::open(path) {
            Err(Error::Unusable { reason, .. }) => reason,
            other => panic!("expected a refusal, got {other:?}"),
        };
        let path = make("magic");
        patch(&path, 0, b"somethin");
        assert_eq!(refusal(&path), "not a lookback session");
        let path = make("version");
        patch(&path, 8, &99u32.to_le_bytes());
        let expected = format!("session layout version 99, expected {}", abi::control::VERSION);
        assert_eq!(refusal(&path), expected);
        let path = make("buffer-version");
        patch(&path, CONTROL_SIZE + 8, &99u32.to_le_bytes());
        assert_eq!(refusal(&path), "buffer layout version 99, expected 6");
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
        let options = SessionOptions { buffer_kb: 16 << 20, ..SessionOptions::default() };
        let free = crate::sessions_directory::free_bytes(&path).unwrap();
        if free < crate::size::session_bytes(options.buffer_kb, 0, &this_process::allowed_cpus()).unwrap() {
            assert!(matches!(Session::create(&path, &options), Err(Error::NoSpace { .. })));
        }
        assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none());
    }
}
