//! The words that the glossary rules out are not used.

use super::finding::Finding;
use super::prose::{Word, words};
use super::tree::Repository;

/// The document that rules words out, and what of it does.
const GLOSSARY: &str = "docs/glossary.md";
const HEADING: &str = "## Words that are not used";

const EXTENSIONS: &[&str] = &["c", "h", "md", "py", "rs", "sh"];

/// Words and phrases that the glossary rules out, and doc comments that begin with "The same".
pub fn check(tree: &Repository) -> Vec<Finding> {
    let ruled_out = ruled_out(tree.text(GLOSSARY).unwrap_or_default());
    let mut findings = Vec::new();
    // The rule itself has to name what it looks for.
    let is_exempt = |path: &str| path == GLOSSARY || path == "xtask/src/tidy/words.rs";
    for (path, text) in tree.with_extension(EXTENSIONS).filter(|(path, _)| !is_exempt(path)) {
        let words = words(text);
        for entry in &ruled_out {
            let is_here = |found: &&[Word]| found.iter().map(|word| &word.text).eq(&entry.phrase);
            for found in words.windows(entry.phrase.len()).filter(is_here) {
                let text = format!("\"{}\": write {}", entry.phrase.join(" "), entry.instead);
                findings.push(Finding::new(path, found[0].line, text));
            }
        }
        if path.ends_with(".rs") {
            findings.extend(dependent_docs(text).into_iter().map(|line| {
                Finding::new(path, line, "begins with \"The same\": a doc comment stands by itself")
            }));
        }
    }
    findings
}

/// A phrase, and what to write in its place.
struct RuledOut<'a> {
    phrase: Vec<String>,
    instead: &'a str,
}

/// The rows of the first table after the heading.
fn ruled_out(glossary: &str) -> Vec<RuledOut<'_>> {
    let after = glossary.split_once(HEADING).map_or("", |(_, after)| after);
    let table =
        after.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let rows = table.skip(2).filter_map(|row| row.trim_matches('|').split_once('|'));
    rows.flat_map(|(phrases, instead)| {
        phrases.split(',').map(|phrase| RuledOut {
            phrase: phrase.split_whitespace().map(str::to_string).collect(),
            instead: instead.trim(),
        })
    })
    .collect()
}

/// The lines of doc comments that can't be read without the one before them.
fn dependent_docs(text: &str) -> Vec<usize> {
    let doc = |line: &str| {
        let line = line.trim_start();
        ["///", "//!"].iter().find_map(|mark| line.strip_prefix(mark)).map(|doc| doc.trim_start().to_string())
    };
    let docs: Vec<Option<String>> = text.lines().map(doc).collect();
    let begins = |line: &usize| {
        let is_first = *line == 0 || docs[*line - 1].is_none();
        is_first && docs[*line].as_ref().is_some_and(|doc| doc.starts_with("The same"))
    };
    (0..text.lines().count()).filter(begins).map(|line| line + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Glossary\n\n| no | table |\n|---|---|\n| of | ours |\n\n\
                         ## Words that are not used\n\nText.\n\n\
                         | not | but |\n|---|---|\n| behind | after |\n| take part, takes part | be attached |\n\
                         | that there isn't | that doesn't exist |\n\nMore.\n\n| not | but |\n|---|---|\n| number | id |\n";

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&Repository::of(&[(GLOSSARY, TABLE), (path, text)])).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_word_that_is_ruled_out_is_found() {
        assert_eq!(findings("a.md", "A\nb Behind c\n"), ["a.md:2: \"behind\": write after"]);
        assert_eq!(findings("a.rs", "fn is_behind() {}\nstruct BehindIt;\n").len(), 2);
        assert_eq!(
            findings("a.rs", "/// It takes\n/// part.\n"),
            ["a.rs:1: \"takes part\": write be attached"]
        );
        assert_eq!(findings("a.rs", "// an event that there isn't\n").len(), 1);
    }

    #[test]
    fn other_words_are_not() {
        assert!(findings("a.md", "It takes: part of a number.\nThat there is one.\n").is_empty());
        assert!(findings("a.txt", "behind").is_empty());
    }

    #[test]
    fn a_doc_comment_that_leans_on_another_is_found() {
        let text = "//! A.\n\n/// The same for b.\nfn b() {}\n// The same.\n/// B.\n/// The same c.\n";
        let expected = ["a.rs:3: begins with \"The same\": a doc comment stands by itself"];
        assert_eq!(findings("a.rs", text), expected);
    }
}
