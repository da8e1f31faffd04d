//! `per_cpu`: a directory for each CPU, and what each has.

mod stats;
mod trace_pipe_raw;

use crate::top::{BufferSize, Snapshot, Trace, TracePipe};
use crate::tree::{Directory, Node, Tree};
use stats::Stats;
use trace_pipe_raw::TracePipeRaw;

/// What `per_cpu` has: a directory for every CPU that the machine can have, as clients count on it.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    (0..tree.session().buffer().geometry().cpus).map(|cpu| format!("cpu{cpu}")).collect()
}

/// What `per_cpu` has of this name.
pub(crate) fn entry(tree: &Tree, name: &str) -> Option<Node> {
    let cpus = tree.session().buffer().geometry().cpus;
    let cpu = (0..cpus).find(|cpu| name == format!("cpu{cpu}"))?;
    Some(Node::Directory(Directory::Cpu(cpu)))
}

/// What a CPU has.
pub(crate) fn names_of_cpu() -> Vec<String> {
    ["buffer_size_kb", "snapshot", "snapshot_raw", "stats", "trace", "trace_pipe", "trace_pipe_raw"]
        .map(String::from)
        .to_vec()
}

/// What a CPU has of this name.
pub(crate) fn entry_of_cpu(cpu: u32, name: &str) -> Option<Node> {
    Some(Node::File(match name {
        "buffer_size_kb" => Box::new(BufferSize { cpu: Some(cpu) }),
        "snapshot" => Box::new(Snapshot { cpu: Some(cpu) }),
        "snapshot_raw" => Box::new(TracePipeRaw { cpu, is_snapshot: true }),
        "stats" => Box::new(Stats { cpu }),
        "trace" => Box::new(Trace { cpu: Some(cpu) }),
        "trace_pipe" => Box::new(TracePipe { cpu: Some(cpu) }),
        "trace_pipe_raw" => Box::new(TracePipeRaw { cpu, is_snapshot: false }),
        _ => return None,
    }))
}
