//! `unsafe` is in few crates that are named here, and nowhere else.

use super::code::{code, has_word};
use super::finding::Finding;
use super::krate::Crate;
use super::tree::Repository;

/// The crates that need it: for shared memory, for assembly, for standing between a program and its libc,
/// for what a program and its recorder say to each other, for tracing a process by ptrace(2), for sites in a
/// program's functions, for words that are replaced together, for being a filtered layer of tracing, and for
/// being called from C.
const ALLOWED: &[&str] = &[
    "launch",
    "remote_call",
    "shm",
    "rseq",
    "ring_buffer",
    "control",
    "c_api",
    "tracepoint",
    "traced",
    "trace_event",
    "tracing_layer",
    "text_poke",
    "call_slots",
    "agent",
    "benches",
];

/// What all others say.
const FORBIDDEN: &str = "#![forbid(unsafe_code)]";

/// Crates that don't forbid it, and places that use it all the same.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let crates = tree.crates();
    crates
        .iter()
        .filter(|found| !ALLOWED.contains(&found.name()))
        .flat_map(|found| check_crate(tree, found))
        .collect()
}

fn check_crate(tree: &Repository, found: &Crate<'_>) -> Vec<Finding> {
    let directory = format!("{}/", found.directory());
    let mut findings = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| path.starts_with(&directory)) {
        let is_root = ["src/lib.rs", "src/main.rs"].iter().any(|root| path == format!("{directory}{root}"));
        let code = code(text);
        if is_root && !code.lines().any(|line| line == FORBIDDEN) {
            findings.push(Finding::new(path, 1, format!("doesn't say {FORBIDDEN}")));
        }
        let lines = code.lines().enumerate().filter(|(_, line)| has_word(line, "unsafe"));
        findings
            .extend(lines.map(|(index, _)| Finding::new(path, index + 1, "unsafe in a crate without it")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(name: &str, text: &str) -> usize {
        let (manifest, source) = (format!("crates/{name}/Cargo.toml"), format!("crates/{name}/src/lib.rs"));
        check(&Repository::of(&[(&manifest, "[package]\nname = \"x\"\n"), (&source, text)])).len()
    }

    #[test]
    fn a_crate_that_does_not_forbid_it_is_found() {
        assert_eq!(findings("session", "fn f() {}\n"), 1);
        assert_eq!(findings("session", "//! unsafe\n#![forbid(unsafe_code)]\nfn f() {}\n"), 0);
        assert_eq!(findings("session", "#![forbid(unsafe_code)]\nfn f() { unsafe {} }\n"), 1);
        assert_eq!(findings("shm", "fn f() { unsafe {} }\n"), 0);
    }
}
