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
            return Ok(Box::new(Open { opened, follower, is_stream: self.is_stream(), _lock: None }));
        }
        let lock = self.file.keeps_instance().then(|| self.tree.session().lock_open()).transpose();
        let lock = lock.map_err(|error| errno(&error))?;
        let opened = self.file.open(&self.tree, flags)?;
        Ok(Box::new(Open { opened, follower: None, is_stream: self.is_stream(), _lock: lock }))
    }
}

/// An open one.
struct Open {
    opened: Box<dyn Opened>,
    /// Where the top level may become an instance of its own meanwhile.
    follower: Option<Follower>,
    is_stream: bool,
    /// What keeps its instance from being removed.
    _lock: Option<Lock>,
}

impl Open {
    /// Whether it is a pipe of what the top level shows no more. A text is read to its end where it began.
    fn is_left_behind(&self) -> bool {
        self.is_stream && self.follower.as_ref().is_some_and(Follower::is_left_behind)
    }

    /// Goes where the top level is, if it is elsewhere now, or will be when this is written.
    fn follow(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        if let Some(follower) = &self.follower
            && let Some(opened) = follower.follow(bytes)?
        {
            (self.opened, self.follower) = (opened, None);
        }
        Ok(())
    }
}

impl Opened for Open {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if self.is_left_behind() {
            self.follow(&[])?;
        }
        self.opened.read(offset, len)
    }

    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        self.follow(bytes)?;
        self.opened.write(author, bytes)
    }

    fn is_readable(&self) -> bool {
        self.is_left_behind() || self.opened.is_readable()
    }

    fn is_unblocked(&self) -> bool {
        self.is_left_behind() || self.opened.is_unblocked()
    }

    fn is_at_end(&self) -> bool {
        self.opened.is_at_end()
    }
}
