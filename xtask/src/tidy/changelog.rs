//! What everybody looks for in a repository is there, and the changelog knows the version.

use super::finding::Finding;
use super::tree::Repository;
use toml::Table;

const EXPECTED: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Files that are missing, and a version that the changelog doesn't know.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let missing = EXPECTED.iter().filter(|path| !tree.has(path));
    let mut findings: Vec<Finding> = missing.map(|path| Finding::new(path, 1, "is missing")).collect();
    let manifest: Option<Table> = tree.text("Cargo.toml").and_then(|text| text.parse().ok());
    let version =
        manifest.as_ref().and_then(|table| table.get("workspace")?.get("package")?.get("version")?.as_str());
    if let (Some(text), Some(version)) = (tree.text("CHANGELOG.md"), version) {
        let mut headings = text.lines().filter(|line| line.starts_with("## "));
        if !headings.any(|heading| heading.contains(version) || heading.contains("Unreleased")) {
            let text = format!("has no heading for version {version}, and none for what is unreleased");
            findings.push(Finding::new("CHANGELOG.md", 1, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(changelog: &str) -> usize {
        let manifest = "[workspace.package]\nversion = \"0.2.0\"\n";
        check(&Repository::of(&[
            ("README.md", ""),
            ("ARCHITECTURE.md", ""),
            ("LICENSE-MIT", ""),
            ("LICENSE-APACHE", ""),
            ("Cargo.toml", manifest),
            ("CHANGELOG.md", changelog),
        ]))
        .len()
    }

    #[test]
    fn a_version_without_changes_is_found() {
        assert_eq!(findings("# Changes\n\n## 0.1.0\n"), 1);
        assert_eq!(findings("# Changes\n\n## 0.2.0\n\n## 0.1.0\n"), 0);
        assert_eq!(findings("# Changes\n\n## Unreleased\n"), 0);
    }

    #[test]
    fn a_missing_file_is_found() {
        assert_eq!(check(&Repository::of(&[])).len(), EXPECTED.len());
    }
}
