//! A file at its place: of a tree, whatever tree it is opened with.

use crate::errno::errno;
use crate::file::{File, Opened};
use crate::top_level::Follower;
use crate::tree::Tree;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Lock};
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
        if self.tree.is_top() {
            let (opened, follower) = Follower::open(&self.tree, &self.file, flags)?;
            return Ok(Box::new(Open { opened, follower, _lock: None }));
        }
        let lock = self.file.keeps_instance().then(|| self.tree.session().lock_open()).transpose();
        let lock = lock.map_err(|error| errno(&error))?;
        Ok(Box::new(Open { opened: self.file.open(&self.tree, flags)?, follower: None, _lock: lock }))
    }
}

/// An open one.
struct Open {
    opened: Box<dyn Opened>,
    /// Where the top level may become an instance of its own meanwhile.
    follower: Option<Follower>,
    /// What keeps its instance from being removed.
    _lock: Option<Lock>,
}

impl Opened for Open {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        self.opened.read(offset, len)
    }

    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        if let Some(follower) = &self.follower
            && let Some(opened) = follower.follow(bytes)?
        {
            (self.opened, self.follower) = (opened, None);
        }
        self.opened.write(author, bytes)
    }

    fn is_readable(&self) -> bool {
        self.opened.is_readable()
    }

    fn is_unblocked(&self) -> bool {
        self.opened.is_unblocked()
    }

    fn is_at_end(&self) -> bool {
        self.opened.is_at_end()
    }
}
