//! The tree: paths, and what may be done with them.

use crate::handle::Handle;
use crate::node::{DirectoryNode, Node};
use crate::proc::ProcDirectory;
use crate::root::RootDirectory;
use crate::trace_array::{TraceArray, check_len};
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Instance;
use std::sync::Arc;

/// The directories whose entries are instances.
const INSTANCES: [&str; 2] = ["instances", "sub_buffers"];

/// The control tree of a session. A clone is the same tree.
#[derive(Clone)]
pub struct Tree {
    root: DirectoryNode,
}

impl Tree {
    /// The tree of the default instance, which is the recording: its top level shows that until something is
    /// written there, and is an instance of its own from then on.
    pub fn new(instance: Instance) -> Tree {
        Tree::of(TraceArray::new(instance, true))
    }

    /// The tree of an instance, as it is in `instances`.
    pub fn of_instance(instance: Instance) -> Tree {
        Tree::of(TraceArray::new(instance, false))
    }

    fn of(array: TraceArray) -> Tree {
        Tree { root: DirectoryNode { array, directory: Arc::new(RootDirectory { mode: 0o700 }) } }
    }

    /// Files that are not in the kernel's tracefs but belong to it: where clients expect them, each is to be
    /// laid over the kernel's. `kallsyms`, with the addresses that are in this tree's events;
    /// `ftrace_enabled` and `kptr_restrict`, of `/proc/sys/kernel`.
    pub fn proc_files(&self) -> Tree {
        let array = self.root.array.outside_tracefs();
        Tree { root: DirectoryNode { array, directory: Arc::new(ProcDirectory) } }
    }

    /// The instance: the default one, in the tree of a session.
    pub fn instance(&self) -> &Instance {
        self.root.array.instance()
    }

    /// What is at `path`: names with slashes between. Slashes more than needed are as none.
    ///
    /// # Errors
    ///
    /// ENOENT, ENOTDIR, and ENAMETOOLONG for a name of more than 255 bytes.
    pub fn find(&self, path: &str) -> Result<Node, Errno> {
        let mut node = Node::Directory(self.root.clone());
        for name in names(path) {
            let Node::Directory(directory) = &node else { return Err(Errno::NOTDIR) };
            check_len(name)?;
            node = directory.entry(name).ok_or(Errno::NOENT)?;
        }
        match node {
            Node::File(_) if path.ends_with('/') => Err(Errno::NOTDIR),
            node => Ok(node),
        }
    }

    /// open(2) of a file, with the flags that it has there.
    ///
    /// # Errors
    ///
    /// Those of [`Tree::find`], but EACCES where `O_CREAT` asks for a name that doesn't exist; EEXIST where
    /// `O_EXCL` forbids that there is; EISDIR for a directory, and ENOTDIR for a file that should be one;
    /// EBUSY for a pipe that somebody else reads.
    pub fn open(&self, path: &str, flags: OFlags) -> Result<Handle, Errno> {
        let creates = flags.contains(OFlags::CREATE);
        if creates && path.ends_with('/') {
            return Err(Errno::ISDIR);
        }
        let found = match self.find(path) {
            Err(Errno::NOENT) if creates && self.find(parent(path)).is_ok() => return Err(Errno::ACCESS),
            found => found?,
        };
        if creates && flags.contains(OFlags::EXCL) {
            return Err(Errno::EXIST);
        }
        let Node::File(file) = found else { return Err(Errno::ISDIR) };
        if flags.contains(OFlags::DIRECTORY) {
            return Err(Errno::NOTDIR);
        }
        file.open(flags)
    }

    /// mkdir(2): in `instances`, that makes one.
    ///
    /// # Errors
    ///
    /// EPERM elsewhere, EEXIST, ENOMEM for more instances than the session has space for, EINVAL for a name
    /// that none can have, or those of [`Tree::find`] for the directory that it would be in.
    pub fn make_directory(&self, path: &str) -> Result<(), Errno> {
        if let Some(name) = self.instance_in(&INSTANCES[..1], path) {
            return self.root.array.create(name);
        }
        match self.find(path.trim_end_matches('/')) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => self.find(parent(path)).and(Err(Errno::PERM)),
            Err(error) => Err(error),
        }
    }

    /// rmdir(2): of an instance, that removes it.
    ///
    /// # Errors
    ///
    /// EPERM elsewhere, EBUSY while one of its files is open in any process, but for `format`, `id`,
    /// `trigger` and `options`, and always for `flight`; ENOTDIR for a file, or those of [`Tree::find`].
    pub fn remove_directory(&self, path: &str) -> Result<(), Errno> {
        let name = self.instance_in(&INSTANCES, path);
        match (name, self.find(path)) {
            (_, Ok(Node::File(_))) => Err(Errno::NOTDIR),
            (Some(name), _) => self.root.array.remove(name),
            (None, found) => found.and(Err(Errno::PERM)),
        }
    }

    /// unlink(2): no file can be removed.
    ///
    /// # Errors
    ///
    /// EPERM, EISDIR for a directory, or those of [`Tree::find`].
    pub fn remove_file(&self, path: &str) -> Result<(), Errno> {
        match self.find(path)? {
            Node::Directory(_) => Err(Errno::ISDIR),
            Node::File(_) => Err(Errno::PERM),
        }
    }

    /// The name of an instance in one of these directories, whether it exists or not.
    fn instance_in<'a>(&self, directories: &[&str], path: &'a str) -> Option<&'a str> {
        let mut names = names(path);
        let (directory, name) = (names.next()?, names.next()?);
        let is_instance = directories.contains(&directory) && names.next().is_none();
        (is_instance && self.root.array.is_top()).then_some(name)
    }
}

/// The names in a path, one for each directory.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".")
}

/// The directory that a path is in.
fn parent(path: &str) -> &str {
    path.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent)
}
