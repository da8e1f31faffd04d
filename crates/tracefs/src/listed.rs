//! Directories whose files are always the same.

use crate::control_file::ControlFile;
use crate::node::Node;
use crate::trace_array::TraceArray;
use std::sync::Arc;

/// A file in such a directory.
pub(crate) struct Listed {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is, in a line of README.
    pub(crate) help: &'static str,
    /// Makes it.
    pub(crate) make: fn() -> Arc<dyn ControlFile>,
}

impl Listed {
    /// A file that is nothing but what it is.
    pub(crate) const fn of<F: ControlFile + Default + 'static>(
        name: &'static str,
        help: &'static str,
    ) -> Listed {
        Listed { name, help, make: || Arc::new(F::default()) }
    }
}

/// Their names.
pub(crate) fn names(files: &[Listed]) -> Vec<String> {
    files.iter().map(|file| file.name.to_string()).collect()
}

/// The one of this name.
pub(crate) fn entry(files: &[Listed], array: &TraceArray, name: &str) -> Option<Node> {
    files.iter().find(|file| file.name == name).map(|file| Node::file(array, (file.make)()))
}
