//! A file is named after the one thing in it.

use super::finding::Finding;
use super::tree::Repository;

/// Names that say nothing.
const EMPTY: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// Files that may be called so.
const EXCEPTIONS: &[&str] = &[
    // The kernel's name for the four fields that every event has.
    "crates/abi/src/common.rs",
];

/// Files and directories with such a name.
pub fn check(tree: &Repository) -> Vec<Finding> {
    // What tests share is called so by cargo's own book.
    let shared_by_tests = |path: &str| path.contains("/tests/") && path.contains("/common/");
    let files = tree.rust().filter(|(path, _)| !shared_by_tests(path) && !EXCEPTIONS.contains(path));
    let empty = files.filter_map(|(path, _)| {
        let mut parts = path.trim_end_matches(".rs").split('/');
        Some((path, parts.find(|part| EMPTY.contains(part))?))
    });
    empty.map(|(path, part)| Finding::new(path, 1, format!("\"{part}\" doesn't say what is in it"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_nothing_is_found() {
        let found = check(&Repository::of(&[
            ("crates/a/src/utils.rs", ""),
            ("crates/a/src/helpers/x.rs", ""),
            ("crates/a/tests/common/mod.rs", ""),
            ("crates/a/tests/b/common/c.rs", ""),
            ("crates/abi/src/common.rs", ""),
            ("crates/a/src/utilization.rs", ""),
        ]));
        let expected = [
            Finding::new("crates/a/src/helpers/x.rs", 1, "\"helpers\" doesn't say what is in it"),
            Finding::new("crates/a/src/utils.rs", 1, "\"utils\" doesn't say what is in it"),
        ];
        assert_eq!(found, expected);
    }
}
