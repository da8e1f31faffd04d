//! What a text refers to is there.

use super::finding::Finding;
use super::markdown::{anchors, links, resolve};
use super::tree::Repository;

/// Links that lead nowhere, and documents that comments name and that aren't there.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension(&["md"]) {
        for link in links(text).into_iter().filter(|link| !is_elsewhere(link.target)) {
            if let Some(problem) = problem(tree, path, link.target) {
                findings.push(Finding::new(path, link.line, problem));
            }
        }
    }
    for (path, text) in tree.rust().filter(|(path, _)| !path.starts_with("xtask/src/tidy/")) {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"))
        {
            for document in documents(line).filter(|document| !is_there(tree, path, document)) {
                findings.push(Finding::new(path, index + 1, format!("names {document}, which isn't there")));
            }
        }
    }
    findings
}

fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// What is wrong with a link.
fn problem(tree: &Repository, from: &str, target: &str) -> Option<String> {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { from.to_string() } else { resolve(from, file) };
    if !tree.has(&path) {
        return Some(format!("links to {target}, which isn't there"));
    }
    let is_reached = heading.is_empty()
        || tree.text(&path).is_some_and(|text| anchors(text).iter().any(|anchor| anchor == heading));
    (!is_reached).then(|| format!("links to {target}: no such heading"))
}

/// The Markdown files that a line names.
fn documents(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !(letter.is_ascii_alphanumeric() || "/._-".contains(letter)));
    words.map(|word| word.trim_end_matches('.')).filter(|word| word.ends_with(".md"))
}

/// Whether such a file is in the repository: named from the root, from the crate, or from the file on.
fn is_there(tree: &Repository, from: &str, document: &str) -> bool {
    let in_crate = from.split_once("/src/").map(|(directory, _)| format!("{directory}/{document}"));
    tree.has(document) || tree.has(&resolve(from, document)) || in_crate.is_some_and(|path| tree.has(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nowhere_is_found() {
        let text = "[a](docs/b.md) [c](docs/b.md#b) [d](docs/e.md)\n[f](docs/b.md#g) [h](https://i/j)\n";
        let found = check(&Repository::of(&[("README.md", text), ("docs/b.md", "# B\n")]));
        let expected = [
            Finding::new("README.md", 1, "links to docs/e.md, which isn't there"),
            Finding::new("README.md", 2, "links to docs/b.md#g: no such heading"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_document_that_is_gone_is_found() {
        let text = "//! See `docs/b.md`, and docs/c.md.\n";
        let found = check(&Repository::of(&[("crates/a/src/lib.rs", text), ("docs/b.md", "")]));
        assert_eq!(found, [Finding::new("crates/a/src/lib.rs", 1, "names docs/c.md, which isn't there")]);
    }
}
