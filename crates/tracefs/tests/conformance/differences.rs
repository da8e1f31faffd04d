//! What is meant to differ, and why.

/// A path, the start of what is done, and the reason. A `*` in a path stands for anything.
const MEANT: &[(&str, &str, &str)] = &[
    ("", "mode", "the kernel's is an instance's directory"),
    ("buffer_subbuf_size_kb", "write", "pages keep the size that they are made with"),
    ("trace_clock", "content", "the one at the start is another, and counter needs other buffers"),
    ("options/copy_trace_marker", "read", "the kernel's is an instance, which gets none at first"),
    ("options/copy_trace_marker", "content", "the kernel's is an instance, which gets none at first"),
    ("events/header_*", "read", "the kernel gives nothing at an offset; here a text goes on"),
    (
        "tracing_cpumask",
        "read",
        "the kernel gives nothing to a reader without space for all; here it comes in pieces",
    ),
    ("*/filter", "read", "the kernel's shows a text that it has refused, and the event has no filter then"),
    (
        "*/filter",
        "content",
        "the kernel's shows a text that it has refused, and the event has no filter then",
    ),
    ("*/trigger", "read", "which triggers there are is up to how a kernel was built"),
    ("set_ftrace_*", "", "other functions; and some kernels let nobody open them, by a policy"),
    ("*", "seek 8589934592", "some of the kernel's files end at 2^31"),
    ("trace_clock", "read", "the one at the start is another, and counter needs other buffers"),
];

/// Files that kernels can be built without, or had once: their texts are checked where they are made.
const LACKING: &[&str] = &[
    "*/snapshot",
    "*/snapshot_raw",
    "/snapshot_enabled",
    "/snapshot_on",
    "/budget_percent",
    "/error_rates",
    "/snapshot_pipe",
    "/snapshot_save_size_mb",
    "/snapshot_save_to",
    "/sub_buffers",
    "/ftraced_enabled",
    "/ftrace_enabled",
    "/ktrace",
    "/max_graph_depth",
    "/set_graph_function",
    "/set_graph_notrace",
    "/tracing_enabled",
    "/tracing_max_latency",
    "options/display-graph",
    "options/func-args",
    "options/funcgraph-*",
    "options/sleep-time",
    "options/graph-time",
    "/function_profile_enabled",
    "/trace_stat",
    "/uprobe_*",
];

/// Whether a difference is meant.
pub fn is_meant(path: &str, what: &str) -> bool {
    MEANT.iter().any(|(pattern, start, _)| fits(pattern, path) && what.starts_with(start))
}

/// Whether the kernel need not have a file.
pub fn is_lacking(path: &str) -> bool {
    LACKING.iter().any(|pattern| fits(pattern, path))
}

fn fits(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => path.starts_with(start) && path.ends_with(end),
        None => path == pattern,
    }
}
