//! What the top level has, and the tree of each instance.

use crate::cpu::CpusDirectory;
use crate::event::EventsDirectory;
use crate::group::Group;
use crate::instances::InstancesDirectory;
use crate::ktrace::KtraceDirectory;
use crate::listed;
use crate::node::{Directory, Node};
use crate::options::OptionsDirectory;
use crate::sub_buffers::SubBuffersDirectory;
use crate::top::FILES;
use crate::trace_array::TraceArray;
use crate::trace_stat::TraceStatDirectory;
use std::sync::Arc;

/// The directory of a tree.
pub(crate) struct RootDirectory {
    pub(crate) mode: u32,
}

type MakeDirectory = fn() -> Arc<dyn Directory>;

const DIRECTORIES: &[(&str, MakeDirectory)] = &[
    ("events", || Arc::new(EventsDirectory(Group::All))),
    ("instances", || Arc::new(instances())),
    ("ktrace", || Arc::new(KtraceDirectory)),
    ("options", || Arc::new(OptionsDirectory)),
    ("per_cpu", || Arc::new(CpusDirectory)),
    ("sub_buffers", || Arc::new(SubBuffersDirectory(instances()))),
    ("trace_stat", || Arc::new(TraceStatDirectory)),
];

fn instances() -> InstancesDirectory {
    InstancesDirectory { tree: Arc::new(RootDirectory { mode: 0o750 }) }
}

/// Entries that exist once for all instances, and not in their trees.
const ONCE: &[&str] = &[
    "README",
    "available_events",
    "available_filter_functions",
    "available_filter_functions_addrs",
    "budget_percent",
    "dynamic_events",
    "enabled_functions",
    "error_rates",
    "ftrace_enabled",
    "function_profile_enabled",
    "instances",
    "ktrace",
    "printk_formats",
    "saved_cmdlines",
    "saved_cmdlines_size",
    "saved_tgids",
    "snapshot_on",
    "snapshot_save_size_mb",
    "snapshot_save_to",
    "sub_buffers",
    "trace_stat",
    "uprobe_events",
    "uprobe_profile",
];

fn is_there(array: &TraceArray, name: &str) -> bool {
    array.is_top() || !ONCE.contains(&name)
}

impl Directory for RootDirectory {
    fn mode(&self) -> u32 {
        self.mode
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let directories = DIRECTORIES.iter().map(|(name, _)| name.to_string());
        let names = listed::names(FILES).into_iter().chain(directories);
        names.filter(|name| is_there(array, name)).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        if !is_there(array, name) {
            return None;
        }
        match DIRECTORIES.iter().find(|(known, _)| *known == name) {
            Some((_, make)) => Some(Node::directory(array, make())),
            None => listed::entry(FILES, array, name),
        }
    }
}
