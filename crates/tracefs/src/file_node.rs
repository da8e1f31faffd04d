//! A control file at its place: of the top level, or of an instance.

use crate::control_file::ControlFile;
use crate::errno::errno;
use crate::follower::Follower;
use crate::handle::Handle;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::sync::Arc;

/// A file of the tree.
pub struct FileNode {
    pub(crate) array: TraceArray,
    pub(crate) file: Arc<dyn ControlFile>,
}

impl FileNode {
    /// Its mode, as the kernel has it: who may read and write it.
    pub fn mode(&self) -> u32 {
        self.file.mode()
    }

    /// Whether it is a stream: without positions, so that lseek(2) is ESPIPE.
    pub fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    /// Whether it gives pages, which clients move by splice(2).
    pub fn is_paged(&self) -> bool {
        self.file.is_paged()
    }

    /// What stat(2) says of its size where there is a page cache in front of it, through which splice(2) and
    /// sendfile(2) read: a page for a text that always fits one. The kernel's tracefs, which has no cache,
    /// says 0 for all.
    pub fn cached_size(&self) -> u64 {
        self.file.cached_size()
    }

    /// open(2) with these flags.
    ///
    /// # Errors
    ///
    /// EBUSY for a pipe that somebody else reads; ENOENT once the instance has been removed.
    pub fn open(&self, flags: OFlags) -> Result<Handle, Errno> {
        if self.array.is_top() {
            let (opened, follower) = Follower::open(&self.array, &self.file, flags)?;
            return Ok(Handle::new(opened, flags, self.is_stream(), follower, None));
        }
        let lock = self.file.keeps_instance().then(|| self.array.instance().lock_open()).transpose();
        let lock = lock.map_err(errno)?;
        let opened = self.file.open(&self.array, flags)?;
        Ok(Handle::new(opened, flags, self.is_stream(), None, lock))
    }
}
