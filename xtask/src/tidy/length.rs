//! No file eats the subsystem.

use super::finding::Finding;
use super::tree::Repository;

/// Lines of the longest Rust file.
const MOST: usize = 350;

/// Files that are longer.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let lengths = tree.rust().map(|(path, text)| (path, text.lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > MOST);
    long.map(|(path, lines)| Finding::new(path, lines, format!("{lines} lines, {MOST} at most"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let (good, bad) = ("\n".repeat(MOST), "\n".repeat(MOST + 1));
        let found = check(&Repository::of(&[("a.rs", &good), ("b.rs", &bad), ("c.md", &bad)]));
        assert_eq!(found, [Finding::new("b.rs", 351, "351 lines, 350 at most")]);
    }
}
