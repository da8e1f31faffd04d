//! The files of the top level, and of each instance.

mod available_functions;
mod budget;
mod buffer_percent;
mod buffer_size;
mod buffer_subbuf_size;
mod current_tracer;
mod enabled_functions;
mod error_log;
mod error_rates;
mod free_buffer;
mod ftrace_enabled;
mod ftraced_enabled;
mod function_list_text;
mod function_lists;
mod function_profile_enabled;
mod max_graph_depth;
mod pid_filters;
mod printk_formats;
mod probe_events;
mod readme;
mod saved_cmdlines_size;
mod saved_threads;
mod set_event;
mod snapshot;
mod snapshot_enabled;
mod snapshot_on;
mod snapshot_saving;
mod timestamp_mode;
mod trace;
mod trace_clock;
mod trace_marker;
mod trace_options;
mod trace_pipe;
mod tracing_cpumask;
mod tracing_enabled;
mod tracing_max_latency;
mod tracing_on;
mod tracing_thresh;

pub(crate) use buffer_size::BufferSize;
pub(crate) use ftrace_enabled::LISTED as FTRACE_ENABLED;
pub(crate) use snapshot::SnapshotFile;
pub(crate) use trace::Trace;
pub(crate) use trace_pipe::TracePipe;

use crate::listed::Listed;

/// All of them, in the order of README.
pub(crate) const FILES: &[Listed] = &[
    readme::LISTED,
    trace::LISTED,
    trace_pipe::LISTED,
    snapshot::LISTED,
    snapshot_enabled::LISTED,
    trace_pipe::SNAPSHOT,
    snapshot_on::LISTED,
    error_rates::LISTED,
    budget::LISTED,
    snapshot_saving::DIRECTORY,
    snapshot_saving::SIZE,
    tracing_on::LISTED,
    tracing_enabled::LISTED,
    current_tracer::LISTED,
    current_tracer::AVAILABLE,
    available_functions::LISTED,
    available_functions::ADDRESSES,
    ftraced_enabled::ENABLED,
    ftraced_enabled::TOTAL,
    enabled_functions::LISTED,
    function_lists::FILTER,
    function_lists::NOTRACE,
    pid_filters::FUNCTION,
    pid_filters::FUNCTION_NOTRACE,
    function_lists::GRAPH_FUNCTION,
    function_lists::GRAPH_NOTRACE,
    max_graph_depth::LISTED,
    tracing_thresh::LISTED,
    tracing_max_latency::LISTED,
    function_profile_enabled::LISTED,
    ftrace_enabled::LISTED,
    buffer_size::LISTED,
    buffer_size::TOTAL,
    buffer_subbuf_size::LISTED,
    buffer_percent::LISTED,
    free_buffer::LISTED,
    trace_clock::LISTED,
    timestamp_mode::LISTED,
    trace_marker::LISTED,
    trace_marker::RAW,
    tracing_cpumask::LISTED,
    trace_options::LISTED,
    saved_threads::CMDLINES,
    saved_cmdlines_size::LISTED,
    saved_threads::TGIDS,
    printk_formats::LISTED,
    set_event::AVAILABLE,
    set_event::LISTED,
    pid_filters::EVENT,
    pid_filters::EVENT_NOTRACE,
    probe_events::DYNAMIC,
    probe_events::UPROBES,
    probe_events::PROFILE,
    error_log::LISTED,
];

#[cfg(test)]
pub(crate) mod tests {
    use crate::Tree;
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Author, Session, SessionOptions};
    use tempfile::TempDir;

    /// A tree over a new session, which lives as long as the directory.
    pub(crate) fn tree() -> (TempDir, Tree) {
        tree_for(1, 0)
    }

    /// One of a session that has space for so many snapshots and instances.
    pub(crate) fn tree_for(snapshots: u32, instances: u32) -> (TempDir, Tree) {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots, instances, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, Tree::new(session))
    }

    /// All that a file has.
    pub(crate) fn read(tree: &Tree, path: &str) -> String {
        let mut file = tree.open(path, OFlags::RDONLY).unwrap();
        String::from_utf8(file.read_to_end().unwrap()).unwrap()
    }

    /// What the shell's `>` does.
    pub(crate) fn write(tree: &Tree, path: &str, text: &str) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        tree.open(path, flags)?.write_all(Author::current(), text.as_bytes())
    }
}
