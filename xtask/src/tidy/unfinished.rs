//! Nothing is left for later.

use super::finding::Finding;
use super::tree::Repository;

/// What says that something is.
const MARKS: &[&str] = &["TODO", "FIXME", "XXX", "unimplemented!", "todo!", "dbg!"];

const EXTENSIONS: &[&str] = &["c", "h", "md", "rs", "sh", "toml", "yml"];

/// Such marks.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The rule itself has to name what it looks for.
    let files = tree.with_extension(EXTENSIONS).filter(|(path, _)| *path != "xtask/src/tidy/unfinished.rs");
    for (path, text) in files {
        for (index, line) in text.lines().enumerate() {
            for mark in MARKS.iter().filter(|mark| has_word(line, mark)) {
                findings.push(Finding::new(path, index + 1, format!("has a {mark}")));
            }
        }
    }
    findings
}

/// Whether a line has a mark, as a word of its own. `<XXX>` is the kernel's name for a thread that has none.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '<');
    line.match_indices(word).any(|(place, _)| {
        let after = line[place + word.len()..].chars().next();
        !line[..place].chars().next_back().is_some_and(is_part)
            && (word.ends_with('!') || !after.is_some_and(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_for_later_is_found() {
        let text = "// TODO: more\nlet a = dbg!(b);\nunimplemented!()\n// mktempXXXXXX <XXX>\nmy_todo!()\n";
        let lines: Vec<String> =
            check(&Repository::of(&[("a.rs", text)])).iter().map(Finding::to_string).collect();
        assert_eq!(lines, ["a.rs:1: has a TODO", "a.rs:2: has a dbg!", "a.rs:3: has a unimplemented!"]);
    }
}
