//! Every crate says what it is, by the workspace's settings.

use super::finding::Finding;
use super::krate::Crate;
use super::tree::Repository;
use toml::Value;

/// Keys that every crate takes from the workspace.
const SHARED: &[&str] = &["version", "edition", "rust-version", "license"];

/// Letters of the shortest description that says anything.
const DESCRIPTION: usize = 12;

/// What is missing in manifests.
pub fn check(tree: &Repository) -> Vec<Finding> {
    tree.crates().iter().flat_map(check_crate).collect()
}

fn check_crate(found: &Crate<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_shared = |value: Option<&Value>| {
        value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
    };
    for key in SHARED.iter().filter(|key| !is_shared(found.package(key))) {
        let text = format!("`{key}` is not the workspace's");
        findings.push(Finding::new(found.path, found.line_of(key), text));
    }
    let description = found.package("description").and_then(Value::as_str).unwrap_or_default();
    if description.len() < DESCRIPTION {
        let line = found.line_of("description");
        findings.push(Finding::new(found.path, line, "has no description that says what it is"));
    }
    if !is_shared(found.manifest.get("lints")) {
        findings.push(Finding::new(found.path, 1, "`lints` are not the workspace's"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
[package]
name = \"a\"
description = \"Does something\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true

[lints]
workspace = true
";

    fn findings(text: &str) -> Vec<String> {
        let tree = Repository::of(&[("crates/a/Cargo.toml", text)]);
        check(&tree).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn what_a_crate_does_not_say_is_found() {
        assert!(findings(GOOD).is_empty());
        let found = findings(&GOOD.replace("Does something", "x"));
        assert_eq!(found, ["crates/a/Cargo.toml:3: has no description that says what it is"]);
        let found = findings(&GOOD.replace("license.workspace = true", "license = \"MIT\""));
        assert_eq!(found, ["crates/a/Cargo.toml:7: `license` is not the workspace's"]);
        let found = findings(&GOOD.replace("[lints]\nworkspace = true\n", ""));
        assert_eq!(found, ["crates/a/Cargo.toml:1: `lints` are not the workspace's"]);
    }
}
