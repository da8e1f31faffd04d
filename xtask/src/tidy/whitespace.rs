//! Files end with a line, lines end with a letter.

use super::finding::Finding;
use super::tree::Repository;

const EXTENSIONS: &[&str] = &["c", "h", "md", "rs", "sh", "toml", "yml"];

/// Blanks at the ends of lines, and files that don't end with one line end.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension(EXTENSIONS) {
        for (index, _) in text.lines().enumerate().filter(|(_, line)| line.ends_with([' ', '\t', '\r'])) {
            findings.push(Finding::new(path, index + 1, "has blanks at its end"));
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            findings.push(Finding::new(path, text.lines().count(), "doesn't end with one line end"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_ends_are_found() {
        let tree = Repository::of(&[("a.rs", "a \nb\n"), ("b.rs", "a"), ("c.rs", "a\n\n"), ("d.rs", "a\n")]);
        let lines: Vec<String> = check(&tree).iter().map(Finding::to_string).collect();
        let expected = [
            "a.rs:1: has blanks at its end",
            "b.rs:1: doesn't end with one line end",
            "c.rs:2: doesn't end with one line end",
        ];
        assert_eq!(lines, expected);
    }
}
