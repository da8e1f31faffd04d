//! Every file says what it is; every library shows how it is used.

use super::finding::Finding;
use super::tree::Repository;

/// Files without a first line of documentation, and libraries without an example.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust() {
        let opening: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        if opening.is_empty() {
            findings.push(Finding::new(path, 1, "doesn't open with `//!`: say what is in it"));
        } else if is_library(path)
            && !opening.iter().any(|line| line.trim_start_matches("//! ").starts_with("```"))
        {
            findings.push(Finding::new(path, opening.len(), "has no example in its documentation"));
        }
    }
    findings
}

/// Whether it is the root of a library that others use.
fn is_library(path: &str) -> bool {
    path.starts_with("crates/") && path.ends_with("/src/lib.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&Repository::of(&[(path, text)])).len()
    }

    #[test]
    fn a_file_that_does_not_say_what_it_is_is_found() {
        assert_eq!(findings("crates/a/src/b.rs", "use core::mem;\n"), 1);
        assert_eq!(findings("crates/a/src/b.rs", "//! B.\n"), 0);
    }

    #[test]
    fn a_library_without_an_example_is_found() {
        assert_eq!(findings("crates/a/src/lib.rs", "//! A.\nmod b;\n//! ```\n"), 1);
        assert_eq!(findings("crates/a/src/lib.rs", "//! A.\n//!\n//! ```\n//! a::b();\n//! ```\n"), 0);
    }
}
