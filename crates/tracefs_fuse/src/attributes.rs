//! What stat(2) says: kinds, modes, owners.

use crate::nodes::is_at_or_below;
use polyfuse_kernel::{FATTR_GID, FATTR_MODE, FATTR_UID, fuse_attr, fuse_setattr_in};
use rustix::process::{getegid, geteuid};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};
use tracefs::Node;

/// Bits of a mode.
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const PERMISSIONS: u32 = 0o7777;

/// Attributes of everything in the tree.
#[derive(Debug)]
pub(crate) struct Attributes {
    uid: u32,
    gid: u32,
    /// When it was mounted: seconds, and nanoseconds.
    time: (u64, u32),
    /// What chmod(2) and chown(2) have changed, for as long as it is mounted.
    changed: HashMap<String, Changed>,
}

/// What takes the place of what the tree says.
#[derive(Debug, Default, Clone, Copy)]
struct Changed {
    permissions: Option<u32>,
    uid: Option<u32>,
    gid: Option<u32>,
}

impl Attributes {
    /// Of this process's user, with the group that was asked for.
    pub(crate) fn new(gid: Option<u32>) -> Attributes {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Attributes {
            uid: geteuid().as_raw(),
            gid: gid.unwrap_or_else(|| getegid().as_raw()),
            time: (now.as_secs(), now.subsec_nanos()),
            changed: HashMap::new(),
        }
    }

    /// Those of what is at `path`.
    pub(crate) fn of(&self, path: &str, node: &Node) -> fuse_attr {
        let changed = self.changed.get(path).copied().unwrap_or_default();
        let (kind, mode, size) = match node {
            Node::Directory(directory) => (DIRECTORY, directory.mode(), 0),
            Node::File(file) => (REGULAR, file.mode(), file.cached_size()),
        };
        let (seconds, nanoseconds) = self.time;
        fuse_attr {
            ino: inode(path),
            size,
            atime: seconds,
            mtime: seconds,
            ctime: seconds,
            atimensec: nanoseconds,
            mtimensec: nanoseconds,
            ctimensec: nanoseconds,
            mode: kind | changed.permissions.unwrap_or(mode),
            // Of directories that says: not counted.
            nlink: 1,
            uid: changed.uid.unwrap_or(self.uid),
            gid: changed.gid.unwrap_or(self.gid),
            blksize: 4096,
            ..fuse_attr::default()
        }
    }

    /// What was at `path` is gone, with all below it.
    pub(crate) fn forget(&mut self, path: &str) {
        self.changed.retain(|other, _| !is_at_or_below(other, path));
    }

    /// chmod(2) and chown(2). Sizes and times are as they are: truncate(2) succeeds, as in the kernel.
    pub(crate) fn change(&mut self, path: &str, wanted: &fuse_setattr_in) {
        let asked = |bit, value| (wanted.valid & bit != 0).then_some(value);
        let permissions = asked(FATTR_MODE, wanted.mode & PERMISSIONS);
        let (uid, gid) = (asked(FATTR_UID, wanted.uid), asked(FATTR_GID, wanted.gid));
        if (permissions, uid, gid) != (None, None, None) {
            let changed = self.changed.entry(path.to_string()).or_default();
            changed.permissions = permissions.or(changed.permissions);
            changed.uid = uid.or(changed.uid);
            changed.gid = gid.or(changed.gid);
        }
    }
}

/// The inode's number: the same for a path each time it is mounted.
pub(crate) fn inode(path: &str) -> u64 {
    if path.is_empty() {
        return 1;
    }
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    // 0 means none, 1 is the root.
    hasher.finish().max(2)
}

/// The type of an entry of a directory: the upper bits of its mode.
pub(crate) fn entry_type(node: &Node) -> u32 {
    match node {
        Node::Directory(_) => DIRECTORY >> 12,
        Node::File(_) => REGULAR >> 12,
    }
}
