//! Who reads on from the start finds every document.

use super::finding::Finding;
use super::markdown::{links, resolve};
use super::tree::Repository;
use std::collections::BTreeSet;

/// Where people start.
const STARTS: &[&str] = &["README.md", "ARCHITECTURE.md"];

/// Documents that no links lead to from there.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<String> = STARTS.iter().map(|path| path.to_string()).collect();
    while let Some(path) = next.pop() {
        let Some(text) = tree.text(&path) else { continue };
        for link in links(text) {
            let target = link.target.split('#').next().unwrap_or_default();
            let target = resolve(&path, target);
            if target.ends_with(".md") && !reached.contains(&target) {
                next.push(target);
            }
        }
        reached.insert(path);
    }
    let documents =
        tree.with_extension(&["md"]).map(|(path, _)| path).filter(|path| path.starts_with("docs/"));
    let lost = documents.filter(|path| !reached.contains(*path));
    lost.map(|path| Finding::new(path, 1, "can't be reached from README.md or ARCHITECTURE.md")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_document_is_found() {
        let found = check(&Repository::of(&[
            ("README.md", "[a](docs/a.md#x) [web](https://b/c.md)"),
            ("docs/a.md", "[b](decisions/b.md) [home](../README.md)"),
            ("docs/decisions/b.md", ""),
            ("docs/c.md", ""),
        ]));
        assert_eq!(
            found,
            [Finding::new("docs/c.md", 1, "can't be reached from README.md or ARCHITECTURE.md")]
        );
    }
}
