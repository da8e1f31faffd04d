//! Our side.

use super::target::{File, Target};
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Session, SessionOptions};
use std::collections::HashMap;
use tempfile::TempDir;
use tracefs::{Handle, Node, Tree};

/// A new session's tree.
pub struct Ours {
    tree: Tree,
    _directory: TempDir,
    files: HashMap<File, Handle>,
    next: File,
}

impl Ours {
    pub fn new() -> Ours {
        Ours::with(0)
    }

    /// A tree where instances can be made.
    pub fn with_instances() -> Ours {
        Ours::with(4)
    }

    fn with(instances: u32) -> Ours {
        let directory = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 1408, snapshots: 1, instances, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        // Without the headers of pages, as the kernel counts.
        session.resize(None, 1408).unwrap();
        let tree = Tree::new(session);
        Ours { tree, _directory: directory, files: HashMap::new(), next: 0 }
    }

    fn file(&mut self, file: File) -> &mut Handle {
        self.files.get_mut(&file).unwrap()
    }
}

impl Target for Ours {
    fn open(&mut self, path: &str, flags: OFlags) -> Result<File, Errno> {
        let file = self.tree.open(path, flags)?;
        self.next += 1;
        self.files.insert(self.next, file);
        Ok(self.next)
    }

    fn close(&mut self, file: File) {
        self.files.remove(&file);
    }

    fn read(&mut self, file: File, len: usize) -> Result<Vec<u8>, Errno> {
        self.file(file).read(len)
    }

    fn read_at(&mut self, file: File, offset: u64, len: usize) -> Result<Vec<u8>, Errno> {
        self.file(file).read_at(offset, len)
    }

    fn write(&mut self, file: File, bytes: &[u8]) -> Result<usize, Errno> {
        self.file(file).write(Author::current(), bytes)
    }

    fn seek(&mut self, file: File, offset: u64) -> Result<(), Errno> {
        self.file(file).seek(offset)
    }

    fn poll(&mut self, file: File) -> bool {
        self.file(file).is_readable()
    }

    fn mode(&mut self, path: &str) -> Result<u32, Errno> {
        Ok(match self.tree.find(path)? {
            Node::Directory(directory) => directory.mode(),
            Node::File(file) => file.mode(),
        })
    }

    fn names(&mut self, path: &str) -> Result<Vec<String>, Errno> {
        match self.tree.find(path)? {
            Node::Directory(directory) => Ok(directory.names()),
            Node::File(_) => Err(Errno::NOTDIR),
        }
    }

    fn make_directory(&mut self, path: &str) -> Result<(), Errno> {
        self.tree.make_directory(path)
    }

    fn remove_directory(&mut self, path: &str) -> Result<(), Errno> {
        self.tree.remove_directory(path)
    }

    fn remove_file(&mut self, path: &str) -> Result<(), Errno> {
        self.tree.remove_file(path)
    }
}
