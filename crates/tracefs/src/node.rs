//! Directories and files at their places in the tree.

use crate::control_file::ControlFile;
use crate::file_node::FileNode;
use crate::trace_array::TraceArray;
use std::sync::Arc;

/// Something in the tree.
pub enum Node {
    /// A directory.
    Directory(DirectoryNode),
    /// A file.
    File(FileNode),
}

impl Node {
    /// A directory of an array's tree.
    pub(crate) fn directory(array: &TraceArray, directory: Arc<dyn Directory>) -> Node {
        Node::Directory(DirectoryNode { array: array.clone(), directory })
    }

    /// A file of an array's tree.
    pub(crate) fn file(array: &TraceArray, file: Arc<dyn ControlFile>) -> Node {
        Node::File(FileNode { array: array.clone(), file })
    }
}

/// What a directory has.
pub(crate) trait Directory: Send + Sync {
    /// [`DirectoryNode::mode`].
    fn mode(&self) -> u32 {
        0o750
    }

    /// The names in it, in any order.
    fn names(&self, array: &TraceArray) -> Vec<String>;

    /// What has this name in it.
    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node>;
}

/// A directory of the tree.
#[derive(Clone)]
pub struct DirectoryNode {
    pub(crate) array: TraceArray,
    pub(crate) directory: Arc<dyn Directory>,
}

impl DirectoryNode {
    /// Its mode, as the kernel has it.
    pub fn mode(&self) -> u32 {
        self.directory.mode()
    }

    /// The names in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.directory.names(&self.array);
        names.sort();
        names
    }

    /// What has this name in it.
    pub(crate) fn entry(&self, name: &str) -> Option<Node> {
        self.directory.entry(&self.array, name)
    }
}
