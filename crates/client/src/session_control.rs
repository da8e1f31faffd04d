//! Controlling a session.

use crate::Error;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, FilteredSelection, Instance, Marker, Selection, SnapshotNumber, session_path};
use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};
use tracefs::{Handle, Tree};

/// A session that is controlled: its default instance, or another one. Others may control it at the same
/// time, and nothing here waits for them longer than a change takes.
pub struct SessionControl {
    instance: Arc<Instance>,
    /// The control files of the instance.
    files: Tree,
    /// Those that only the session has.
    session_files: Tree,
    /// Made when the first marker is written.
    marker: OnceLock<Marker>,
}

impl SessionControl {
    /// Opens a session: of this name, of this path if it has a `/`, or the one that the environment names, or
    /// the default one; and of it this instance, or its default instance.
    ///
    /// # Errors
    ///
    /// ENOENT where there is no such session or instance, EACCES where it is somebody else's, EPROTO where it
    /// is of another version.
    pub fn open(session: Option<&OsStr>, instance: Option<&str>) -> Result<SessionControl, Error> {
        let default = Instance::open(&session_path(session)?)?;
        let opened = match instance {
            Some(name) => default.session().open_named(name)?,
            None => default.again()?,
        };
        let (files, session_files) = (Tree::of_instance(opened.again()?), Tree::new(default));
        Ok(SessionControl { instance: Arc::new(opened), files, session_files, marker: OnceLock::new() })
    }

    /// The instance.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Enables events, as `lookback set EVENT on` does: `EVENT`, or `EVENT if FILTER`. How many there are
    /// now; those follow that programs bring later.
    ///
    /// # Errors
    ///
    /// EINVAL where no event is called so, or none can have the filter: nothing has changed then.
    pub fn enable(&self, events: &str) -> Result<usize, Error> {
        Ok(self.instance.enable(&events.parse::<FilteredSelection>()?)?.events)
    }

    /// Disables events, as `lookback set EVENT off` does. How many there are now.
    ///
    /// # Errors
    ///
    /// EINVAL where no event is called so.
    pub fn disable(&self, events: &str) -> Result<usize, Error> {
        Ok(self.instance.set(&events.parse::<Selection>()?, false)?)
    }

    /// Keeps what was recorded, and goes on recording. What the snapshot is called.
    ///
    /// # Errors
    ///
    /// ENOMEM where the session was made without space for snapshots; EBUSY while readers hold all.
    pub fn take_snapshot(&self) -> Result<SnapshotNumber, Error> {
        let taken = self.instance.take_snapshot()?;
        Ok(self.instance.snapshot_number(&taken))
    }

    /// The snapshots that are kept, the oldest first.
    pub fn snapshots(&self) -> Vec<SnapshotNumber> {
        self.instance.snapshots().iter().map(|snapshot| self.instance.snapshot_number(snapshot)).collect()
    }

    /// Writes a text into the buffer, as the kernel's `trace_marker` has it. How much of it fits.
    ///
    /// # Errors
    ///
    /// EBADF while recording is stopped.
    pub fn write_marker(&self, text: &[u8]) -> Result<usize, Error> {
        let marker = match self.marker.get() {
            Some(marker) => marker,
            None => {
                let made = Marker::new(self.instance.clone())?;
                self.marker.get_or_init(|| made)
            }
        };
        let written = marker.write_text(Author::current(), text);
        written.map_err(|refused| Error::NotWritten(format!("{refused:?}")))
    }

    /// What a file of the control tree has, of the instance (`tracing_on`, `events/libc/read/format`) or of
    /// the session (`ktrace/info`). Of a pipe, what it has now.
    ///
    /// # Errors
    ///
    /// Those of the kernel's tracefs.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, Error> {
        let failed = |error| Error::File { path: path.to_owned(), error };
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        self.open_file(path, flags).and_then(|mut file| file.read_to_end()).map_err(failed)
    }

    /// Writes to a file of the control tree, as the shell's `>` does.
    ///
    /// # Errors
    ///
    /// Those of the kernel's tracefs.
    pub fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let failed = |error| Error::File { path: path.to_owned(), error };
        let flags = OFlags::WRONLY | OFlags::TRUNC;
        let written =
            self.open_file(path, flags).and_then(|mut file| file.write_all(Author::current(), bytes));
        written.map_err(failed)
    }

    /// A file of the instance, or of the session: without the rule of mounts, where the top level becomes a
    /// buffer of its own once it is changed. Who opens an instance means that.
    fn open_file(&self, path: &str, flags: OFlags) -> Result<Handle, Errno> {
        let is_of_instance = self.files.find(path).is_ok();
        let tree = if is_of_instance { &self.files } else { &self.session_files };
        tree.open(path, flags)
    }
}
