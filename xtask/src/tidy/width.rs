//! Lines that can be read next to others.

use super::code::lines_in_strings;
use super::finding::Finding;
use super::markdown::prose;
use super::tree::Repository;
use std::collections::HashSet;

/// Columns of the longest line.
const MOST: usize = 110;

const EXTENSIONS: &[&str] = &["c", "h", "md", "rs", "sh"];

/// What marks a table whose lines are as long as they have to be, up to the end of its braces.
const MARK: &str = "rustfmt::skip";

/// Lines that are longer.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension(EXTENSIONS) {
        let mut table = TableLines::default();
        let data = data(path, text);
        for (index, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            let is_free = table.contains(line) || data.contains(&index) || is_one_piece(path, line);
            if columns > MOST && !is_free {
                findings.push(Finding::new(path, index + 1, format!("{columns} columns, {MOST} at most")));
            }
        }
    }
    findings
}

/// The indices of lines that are data, and as they have to be: in texts of several lines, in blocks of code.
fn data(path: &str, text: &str) -> Vec<usize> {
    if path.ends_with(".md") {
        let prose: HashSet<usize> = prose(text).map(|(line, _)| line - 1).collect();
        return (0..text.lines().count()).filter(|index| !prose.contains(index)).collect();
    }
    if path.ends_with(".rs") { lines_in_strings(text) } else { Vec::new() }
}

/// Whether a line can't be broken: a row of a Markdown table, one long word, or one text in Rust.
fn is_one_piece(path: &str, line: &str) -> bool {
    let prose = match path.ends_with(".md") {
        true => Some(line),
        false => ["//! ", "/// "].iter().find_map(|mark| line.trim_start().strip_prefix(mark)),
    };
    let words = line.split_whitespace().filter(|word| word.len() > 3).count();
    let is_text =
        path.ends_with(".rs") && ["\"", "r#\""].iter().any(|mark| line.trim_start().starts_with(mark));
    words <= 1 || is_text || prose.is_some_and(|prose| prose.starts_with('|'))
}

/// Whether the walk over the lines is in a table.
#[derive(Debug, Default)]
struct TableLines {
    is_marked: bool,
    depth: usize,
}

impl TableLines {
    /// Takes the next line; whether it is part of one.
    fn contains(&mut self, line: &str) -> bool {
        let was_inside = self.is_marked;
        self.is_marked |= line.contains(MARK);
        if self.is_marked {
            let before = self.depth;
            self.depth += line.matches('{').count();
            self.depth = self.depth.saturating_sub(line.matches('}').count());
            self.is_marked = self.depth > 0 || (before == 0 && !line.contains('}'));
        }
        was_inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<String> {
        check(&Repository::of(&[(path, text)])).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_long_line_is_found_outside_of_tables() {
        let long = "call(argument) ".repeat(8);
        let text = format!("{long}\n#[rustfmt::skip]\ntable! {{\n    a {{\n{long}\n    }}\n}}\n{long}\n");
        let expected = ["a.rs:1: 120 columns, 110 at most", "a.rs:8: 120 columns, 110 at most"];
        assert_eq!(lines("a.rs", &text), expected);
    }

    #[test]
    fn what_cannot_be_broken_may_be_long() {
        let word = "x".repeat(120);
        assert!(lines("a.rs", &format!("// {word}\n")).is_empty());
        assert!(lines("a.md", &format!("| a | {word} | some words more |\n")).is_empty());
        assert!(lines("a.rs", &format!("//! | a | {word} | some words more |\n")).is_empty());
        assert!(lines("a.rs", &format!("const A: &str = \"\nsome {word} more words\n\";\n")).is_empty());
        assert_eq!(lines("a.md", &format!("some {word} more words\n")).len(), 1);
        assert!(lines("a.md", &format!("```\nsome {word} more words\n```\n")).is_empty());
    }
}
