//! `per_cpu`: a directory for each CPU.

mod stats;
mod trace_pipe_raw;

use crate::control_file::ControlFile;
use crate::node::{Directory, Node};
use crate::top::{BufferSize, SnapshotFile, Trace, TracePipe};
use crate::trace_array::TraceArray;
use stats::Stats;
use std::sync::Arc;
use trace_pipe_raw::TracePipeRaw;

/// The directory, with one for every CPU that the machine can have, as clients count on it.
pub(crate) struct CpusDirectory;

impl Directory for CpusDirectory {
    fn names(&self, array: &TraceArray) -> Vec<String> {
        (0..array.instance().buffer().geometry().cpus).map(name).collect()
    }

    fn entry(&self, array: &TraceArray, entry: &str) -> Option<Node> {
        let cpu = (0..array.instance().buffer().geometry().cpus).find(|cpu| entry == name(*cpu))?;
        Some(Node::directory(array, Arc::new(CpuDirectory(cpu))))
    }
}

fn name(cpu: u32) -> String {
    format!("cpu{cpu}")
}

/// The directory of a CPU.
struct CpuDirectory(u32);

/// Makes the file of a CPU.
type MakeFile = fn(u32) -> Arc<dyn ControlFile>;

const FILES: &[(&str, MakeFile)] = &[
    ("buffer_size_kb", |cpu| Arc::new(BufferSize { cpu: Some(cpu) })),
    ("snapshot", |cpu| Arc::new(SnapshotFile { cpu: Some(cpu) })),
    ("snapshot_raw", |cpu| Arc::new(TracePipeRaw { cpu, is_snapshot: true })),
    ("stats", |cpu| Arc::new(Stats { cpu })),
    ("trace", |cpu| Arc::new(Trace { cpu: Some(cpu) })),
    ("trace_pipe", |cpu| Arc::new(TracePipe { cpu: Some(cpu), is_snapshot: false })),
    ("trace_pipe_raw", |cpu| Arc::new(TracePipeRaw { cpu, is_snapshot: false })),
];

impl Directory for CpuDirectory {
    fn names(&self, _array: &TraceArray) -> Vec<String> {
        FILES.iter().map(|(name, _)| name.to_string()).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let (_, make) = FILES.iter().find(|(known, _)| *known == name)?;
        Some(Node::file(array, make(self.0)))
    }
}
