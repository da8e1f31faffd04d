//! A file at its place: of a tree, whatever tree it is opened with.

use crate::errno::errno;
use crate::file::{File, Opened};
use crate::handle::Handle;
use crate::top_level::Follower;
use crate::tree::Tree;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::sync::Arc;

/// A file of a tree: of the top level, or of an instance.
pub(crate) struct Placed {
    pub(crate) tree: Tree,
    pub(crate) file: Arc<dyn File>,
}

impl File for Placed {
    fn mode(&self) -> u32 {
        self.file.mode()
    }

    fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    fn is_paged(&self) -> bool {
        self.file.is_paged()
    }

    fn cached_size(&self) -> u64 {
        self.file.cached_size()
    }

    fn open(&self, _tree: &Tree, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        self.file.open(&self.tree, flags)
    }

    fn handle(&self, _tree: &Tree, flags: OFlags) -> Result<Handle, Errno> {
        if self.tree.is_top() {
            let (opened, follower) = Follower::open(&self.tree, &self.file, flags)?;
            return Ok(Handle::new(opened, flags, self.is_stream()).following(follower));
        }
        let lock = self.file.keeps_instance().then(|| self.tree.session().lock_open()).transpose();
        let lock = lock.map_err(|error| errno(&error))?;
        let opened = self.file.open(&self.tree, flags)?;
        Ok(Handle::new(opened, flags, self.is_stream()).keeping(lock))
    }
}
