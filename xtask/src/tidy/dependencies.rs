//! Versions stand in the workspace's manifest, once, and only for what is used.

use super::finding::Finding;
use super::tree::Repository;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Dependencies with a version of their own, and versions that nobody wants.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let crates = tree.crates();
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for found in &crates {
        for dependency in found.dependencies() {
            used.insert(dependency.name.to_string());
            if dependency.wanted.get("workspace").and_then(Value::as_bool) != Some(true) {
                let text = format!("{} has a version of its own: name the workspace's", dependency.name);
                findings.push(Finding::new(found.path, dependency.line, text));
            }
        }
    }
    findings.extend(unused(tree, &used));
    findings
}

fn unused(tree: &Repository, used: &BTreeSet<String>) -> Vec<Finding> {
    let text = tree.text("Cargo.toml").unwrap_or_default();
    let Ok(manifest) = text.parse::<Table>() else {
        return vec![Finding::new("Cargo.toml", 1, "is no TOML")];
    };
    let offered = manifest.get("workspace").and_then(|table| table.get("dependencies")?.as_table());
    let unused = offered.into_iter().flatten().filter(|(name, _)| !used.contains(*name));
    let finding = |(name, _): (&String, &Value)| {
        let line = text.lines().position(|line| line.starts_with(&format!("{name} ="))).unwrap_or(0);
        Finding::new("Cargo.toml", line + 1, format!("no crate uses {name}"))
    };
    unused.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(dependency: &str) -> Vec<String> {
        let manifest = format!("[package]\nname = \"a\"\n[dependencies]\n{dependency}\n");
        let root = "[workspace.dependencies]\nlibc = \"0.2\"\n";
        let tree = Repository::of(&[("crates/a/Cargo.toml", &manifest), ("Cargo.toml", root)]);
        check(&tree).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_version_in_a_crate_is_found() {
        let expected = ["crates/a/Cargo.toml:4: libc has a version of its own: name the workspace's"];
        assert_eq!(findings("libc = \"0.2\""), expected);
        assert!(findings("libc.workspace = true").is_empty());
        assert!(findings("libc = { workspace = true, features = [\"std\"] }").is_empty());
    }

    #[test]
    fn what_nobody_uses_is_found() {
        assert_eq!(findings(""), ["Cargo.toml:2: no crate uses libc"]);
    }
}
