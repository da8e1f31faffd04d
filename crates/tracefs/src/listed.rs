//! Directories whose files are always the same.

use crate::file::File;
use crate::tree::Node;

/// A file in such a directory.
pub(crate) struct Listed {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is, in a line of README.
    pub(crate) help: &'static str,
    /// Makes it.
    pub(crate) make: fn() -> Box<dyn File>,
}

/// Their names.
pub(crate) fn names(files: &[Listed]) -> Vec<String> {
    files.iter().map(|file| file.name.to_string()).collect()
}

/// The one of this name.
pub(crate) fn entry(files: &[Listed], name: &str) -> Option<Node> {
    files.iter().find(|file| file.name == name).map(|file| Node::File((file.make)()))
}
