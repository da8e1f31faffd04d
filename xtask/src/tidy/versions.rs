//! The version, and the oldest Rust, are the same wherever they are said.

use super::finding::Finding;
use super::tree::Repository;
use toml::Table;

/// Files that say the version, and how.
const VERSION: &[(&str, &str)] =
    &[("crates/c_api/lookback.pc", "Version: "), ("crates/sql/Cargo.toml", "version = \"")];

/// Files that say the oldest Rust, and how.
const OLDEST_RUST: &[(&str, &str)] =
    &[("README.md", "Rust "), ("setup", "Rust "), ("docs/functions.md", "Rust ")];

/// Places that say something else than the workspace.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let manifest: Option<Table> = tree.text("Cargo.toml").and_then(|text| text.parse().ok());
    let key = |name: &str| manifest.as_ref()?.get("workspace")?.get("package")?.get(name)?.as_str();
    let mut findings = Vec::new();
    for (name, places) in [("version", VERSION), ("rust-version", OLDEST_RUST)] {
        let Some(value) = key(name) else { continue };
        for (path, before) in places {
            let Some(text) = tree.text(path) else { continue };
            if !text.contains(&format!("{before}{value}")) {
                let text = format!("doesn't say `{before}{value}`, as `{name}` of the workspace does");
                findings.push(Finding::new(path, 1, text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_found() {
        let manifest = "[workspace.package]\nversion = \"0.2.0\"\nrust-version = \"1.90\"\n";
        let findings = |pc: &str, readme: &str| {
            let files = [("Cargo.toml", manifest), ("crates/c_api/lookback.pc", pc), ("README.md", readme)];
            check(&Repository::of(&files)).len()
        };
        assert_eq!(findings("Version: 0.2.0\n", "Rust 1.90 or newer"), 0);
        assert_eq!(findings("Version: 0.1.0\n", "Rust 1.88 or newer"), 2);
    }
}
