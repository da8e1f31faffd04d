//! Every `unsafe` says why it is sound, or what its callers have to see to.
//!
//! Blocks are clippy's (`undocumented_unsafe_blocks`), as are functions that are public
//! (`missing_safety_doc`). Here are the others: `unsafe impl`, and functions that only we call. Where all
//! functions of a file ask for the same, a section `# Safety` in the file's documentation says it for all.
//! What is said stands by itself: whoever reads "as above" has to find out what of it holds here, too.

use super::code::{code, comments_above, has_word};
use super::finding::Finding;
use super::tree::Repository;

/// What has to be written above.
const MARKS: [&str; 2] = ["SAFETY:", "# Safety"];

/// How a reason begins that is only said elsewhere.
const REFERENCES: [&str; 6] = ["as above", "as before", "as for", "as in ", "see ", "the same"];

/// Functions and implementations without, and reasons that are said elsewhere.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let unexplained = tree.rust().flat_map(|(path, text)| check_file(path, text));
    unexplained.chain(references(tree)).collect()
}

fn references(tree: &Repository) -> Vec<Finding> {
    let finding = |path, line| Finding::new(path, line, "a SAFETY comment that doesn't say why");
    tree.rust().flat_map(|(path, text)| reference_lines(text).map(move |line| finding(path, line))).collect()
}

/// The lines of comments whose reason is said elsewhere.
fn reference_lines(text: &str) -> impl Iterator<Item = usize> {
    let refers = |line: &str| {
        let reason = line.trim_start().strip_prefix("// SAFETY:").unwrap_or_default().trim().to_lowercase();
        REFERENCES.iter().any(|reference| reason.starts_with(reference))
    };
    text.lines().enumerate().filter(move |(_, line)| refers(line)).map(|(index, _)| index + 1)
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let code = code(text);
    let (code, lines): (Vec<&str>, Vec<&str>) = (code.lines().collect(), text.lines().collect());
    let is_said_for_all = lines.iter().any(|line| line.trim_end() == "//! # Safety");
    let mut findings = Vec::new();
    for (index, line) in code.iter().enumerate() {
        let Some(kind) = Declaration::of(line) else { continue };
        let promised = kind == Declaration::Function && (is_said_for_all || is_in_trait_impl(&code, index));
        if !promised && !is_explained(&lines, index) {
            findings.push(Finding::new(path, index + 1, kind.problem()));
        }
    }
    findings
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declaration {
    Implementation,
    Function,
}

impl Declaration {
    /// What a line declares as unsafe, if it does. A type of functions has no name, and is no declaration.
    fn of(line: &str) -> Option<Declaration> {
        let rest = line.split_once("unsafe ").filter(|_| has_word(line, "unsafe"))?.1.trim_start();
        if rest.starts_with("impl") {
            return Some(Declaration::Implementation);
        }
        // The ABI's name has been blanked out.
        let rest = rest.strip_prefix("extern").map_or(rest, str::trim_start);
        let name = rest.strip_prefix("fn ")?.trim_start();
        name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            .then_some(Declaration::Function)
    }

    fn problem(self) -> &'static str {
        match self {
            Declaration::Implementation => "an unsafe impl without `SAFETY:`",
            Declaration::Function => "an unsafe fn that doesn't say what its callers have to see to",
        }
    }
}

/// Whether the comments and attributes above a line have a mark.
fn is_explained(lines: &[&str], index: usize) -> bool {
    comments_above(lines, index).any(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

/// Whether the function in line `index` is one of a trait's: there it is written what callers have to do.
fn is_in_trait_impl(code: &[&str], index: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(code[index]);
    let around = code[..index].iter().rev().find(|line| !line.trim().is_empty() && indent(line) < own);
    around.is_some_and(|line| has_word(line, "impl") && has_word(line, "for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> usize {
        check(&Repository::of(&[("a.rs", text)])).len()
    }

    #[test]
    fn what_is_not_explained_is_found() {
        assert_eq!(findings("struct A;\nunsafe impl Send for A {}\n"), 1);
        assert_eq!(findings("// SAFETY: no content.\nunsafe impl Send for A {}\n"), 0);
        assert_eq!(findings("fn g() {}\nunsafe fn f() {}\n"), 1);
        assert_eq!(findings("unsafe extern \"C\" fn f() {}\n"), 1);
        assert_eq!(
            findings("/// # Safety\n///\n/// Readable.\n#[inline(always)]\npub unsafe fn f() {}\n"),
            0
        );
    }

    #[test]
    fn a_reason_that_is_said_elsewhere_is_found() {
        assert_eq!(findings("// SAFETY: As above.\nunsafe { f() }\n"), 1);
        assert_eq!(findings("// SAFETY: see the module.\nunsafe impl Send for A {}\n"), 1);
        assert_eq!(findings("// SAFETY: as long as the pointer lives, so does this.\nunsafe { f() }\n"), 0);
    }

    #[test]
    fn what_needs_nothing_is_not() {
        assert_eq!(findings("type F = unsafe fn(u8);\nlet f: unsafe extern \"C\" fn() = g;\n"), 0);
        assert_eq!(findings("impl A for B {\n    unsafe fn f() {}\n}\n"), 0);
        assert_eq!(findings("//! # Safety\n//!\n//! Readable.\nunsafe fn f() {}\n"), 0);
        assert_eq!(findings("let text = \"unsafe fn f() {}\"; // unsafe fn g() {}\n"), 0);
    }
}
