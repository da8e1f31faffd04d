//! Files of `/proc` that belong to the kernel's tracefs, as clients need them.

mod kallsyms;
mod sysctl;

use crate::listed::{self, Listed};
use crate::node::{Directory, Node};
use crate::top::FTRACE_ENABLED;
use crate::trace_array::TraceArray;

const FILES: &[Listed] = &[kallsyms::LISTED, FTRACE_ENABLED, sysctl::KPTR_RESTRICT];

/// A directory with these files.
pub(crate) struct ProcDirectory;

impl Directory for ProcDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, _array: &TraceArray) -> Vec<String> {
        listed::names(FILES)
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        listed::entry(FILES, array, name)
    }
}
