//! The file of a session, which may be removed while it is open here, and another made in its place.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file at a session's path, as it was.
#[derive(Debug)]
pub(super) struct WatchedSession {
    path: PathBuf,
    inode: Option<u64>,
}

impl WatchedSession {
    /// The one that is there now.
    pub(super) fn at(path: &Path) -> WatchedSession {
        WatchedSession { path: path.to_path_buf(), inode: inode(path) }
    }

    /// Whether it is no longer there.
    pub(super) fn is_gone(&self) -> bool {
        inode(&self.path) != self.inode
    }
}

fn inode(path: &Path) -> Option<u64> {
    path.metadata().map(|found| found.ino()).ok()
}
