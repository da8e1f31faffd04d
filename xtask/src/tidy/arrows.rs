//! Which crate may use which: arrows run down only, and what a traced process links stays small.

use super::finding::Finding;
use super::tree::Repository;

/// The crates from the bottom up, each with those it may use. A new crate gets a line here when its place
/// in the design is decided.
const ARROWS: &[(&str, &[&str])] = &[
    ("abi", &[]),
    ("events", &["abi"]),
    ("event_filter", &[]),
    ("event_trigger", &["abi", "event_filter"]),
    ("function_filter", &["event_filter"]),
    ("function_sites", &[]),
    ("planner", &[]),
    ("printf_format", &[]),
    ("probe", &[]),
    ("probe_definition", &["probe"]),
    ("debug_info", &[]),
    ("launch", &[]),
    ("remote_call", &["abi"]),
    ("traced", &[]),
    ("shm", &["abi"]),
    ("rseq", &[]),
    ("ring_buffer", &["abi", "shm", "rseq"]),
    (
        "control",
        &["abi", "events", "shm", "rseq", "ring_buffer", "event_filter", "event_trigger", "function_filter"],
    ),
    ("trigger_effect", &["abi", "event_trigger", "ring_buffer", "control"]),
    ("tracepoint", &["abi", "printf_format"]),
    ("tracing_layer", &["tracepoint"]),
    (
        "trace_event",
        &[
            "abi",
            "events",
            "event_trigger",
            "printf_format",
            "shm",
            "rseq",
            "ring_buffer",
            "control",
            "trigger_effect",
        ],
    ),
    ("text_poke", &["abi", "shm"]),
    ("call_slots", &["abi", "shm"]),
    (
        "agent",
        &[
            "abi",
            "events",
            "event_trigger",
            "function_filter",
            "function_sites",
            "planner",
            "probe",
            "shm",
            "rseq",
            "ring_buffer",
            "control",
            "trace_event",
            "text_poke",
            "call_slots",
        ],
    ),
    ("trace_data", &["abi"]),
    ("kernel_events", &["abi", "events", "trace_data"]),
    (
        "session",
        &[
            "abi",
            "events",
            "event_filter",
            "event_trigger",
            "function_filter",
            "function_sites",
            "planner",
            "probe",
            "probe_definition",
            "shm",
            "text_poke",
            "rseq",
            "ring_buffer",
            "control",
            "trigger_effect",
            "trace_data",
        ],
    ),
    ("export", &["abi", "trace_data"]),
    (
        "reading",
        &["abi", "debug_info", "events", "function_sites", "ring_buffer", "control", "session", "trace_data"],
    ),
    (
        "recording",
        &[
            "abi",
            "events",
            "shm",
            "rseq",
            "ring_buffer",
            "control",
            "session",
            "trace_data",
            "kernel_events",
            "reading",
            "export",
        ],
    ),
    ("journal", &["abi", "ring_buffer", "control", "session", "trace_data", "reading"]),
    ("query", &["abi", "events", "event_filter", "session", "trace_data", "reading"]),
    ("convert", &["export", "query", "trace_data"]),
    ("sql_arguments", &[]),
    ("sql", &["convert", "events", "export", "query", "sql_arguments", "trace_data"]),
    ("ktrace", &["abi", "printf_format", "ring_buffer", "control", "session"]),
    ("tracefs", &["abi", "events", "control", "ring_buffer", "session", "trace_data", "reading", "ktrace"]),
    ("tracefs_fuse", &["tracefs", "session"]),
    ("client", &["abi", "session", "ktrace", "query", "reading", "trace_data", "tracefs"]),
    ("c_api", &["abi", "client", "session", "trace_data"]),
];

/// What may use everything: commands, and what serves the project itself.
const TOPS: &[&str] = &["cli", "cargo_lookback", "benches", "xtask"];

/// What a traced process links.
const TRACEE: &[&str] = &[
    "abi",
    "events",
    "tracepoint",
    "event_filter",
    "event_trigger",
    "function_filter",
    "function_sites",
    "planner",
    "printf_format",
    "probe",
    "shm",
    "rseq",
    "ring_buffer",
    "control",
    "trigger_effect",
    "trace_event",
    "text_poke",
    "call_slots",
    "agent",
];

/// What those may use that is not ours, each chosen by itself.
const FOREIGN: &[&str] = &["elf", "libc", "rustix"];

/// What a crate uses without being allowed to.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let crates = tree.crates();
    let names: Vec<&str> = crates.iter().map(|found| found.name()).collect();
    let mut findings = Vec::new();
    for found in crates.iter().filter(|found| !TOPS.contains(&found.name())) {
        let Some((name, allowed)) = ARROWS.iter().find(|(name, _)| *name == found.name()) else {
            let text = format!("{} has no place among the arrows", found.name());
            findings.push(Finding::new(found.path, 1, text));
            continue;
        };
        for used in found.dependencies().filter(|used| !used.is_for_tests) {
            let is_ours = names.contains(&used.name);
            if is_ours && !allowed.contains(&used.name) {
                let text = format!("{name} uses {}: no arrow goes there", used.name);
                findings.push(Finding::new(found.path, used.line, text));
            }
            if !is_ours && TRACEE.contains(name) && !FOREIGN.contains(&used.name) {
                let text = format!("{name} uses {}, but traced processes link it", used.name);
                findings.push(Finding::new(found.path, used.line, text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(dependency: &str) -> String {
        format!("[package]\nname = \"x\"\n[dependencies]\n{dependency}.workspace = true\n")
    }

    fn findings(name: &str, dependency: &str) -> Vec<Finding> {
        let path = format!("crates/{name}/Cargo.toml");
        let (text, other) = (manifest(dependency), manifest("none"));
        check(&Repository::of(&[(&path, &text), ("crates/session/Cargo.toml", &other)]))
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        let expected = "crates/ring_buffer/Cargo.toml:4: ring_buffer uses session: no arrow goes there";
        assert_eq!(findings("ring_buffer", "session")[0].to_string(), expected);
        assert!(findings("tracefs", "session").is_empty());
    }

    #[test]
    fn a_foreign_crate_in_traced_processes_is_found() {
        assert_eq!(findings("agent", "serde").len(), 1);
        assert!(findings("agent", "libc").is_empty() && findings("trace_data", "serde").is_empty());
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        assert_eq!(findings("else", "libc").len(), 1);
        assert!(findings("cli", "session").is_empty());
    }

    #[test]
    fn the_table_itself_runs_down_only() {
        for (index, (name, allowed)) in ARROWS.iter().enumerate() {
            let below: Vec<&str> = ARROWS[..index].iter().map(|(name, _)| *name).collect();
            assert!(allowed.iter().all(|used| below.contains(used)), "{name}");
        }
    }
}
