//! Every atomic ordering says what it is for, and each invariant of the ring buffer is cited where it is
//! kept.
//!
//! A comment says with what an ordering pairs, why Relaxed is enough, or which invariant of decision 001 it
//! keeps. It stands on the line, or directly above the statement, a block around it, or its function.

use super::code::{comments_above, has_word};
use super::finding::Finding;
use super::production::{code_of, is_production};
use super::tree::Repository;

/// Crates whose atomics others depend on.
const CRATES: &[&str] = &["crates/ring_buffer/", "crates/control/", "crates/call_slots/"];

const ORDERINGS: &[&str] = &["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// Where the invariants R1 and so on are cited, and how many there are.
const RING: &str = "crates/ring_buffer/";
const INVARIANTS: usize = 18;

/// Orderings without a reason, and invariants that no source cites.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let sources = || tree.rust().filter(|(path, _)| is_production(path));
    let checked = sources().filter(|(path, _)| CRATES.iter().any(|start| path.starts_with(start)));
    let mut findings: Vec<Finding> = checked.flat_map(|(path, text)| check_file(path, text)).collect();
    let ring: Vec<&str> =
        sources().filter(|(path, _)| path.starts_with(RING)).map(|(_, text)| text).collect();
    let is_cited = |name: &str| ring.iter().any(|text| text.lines().any(|line| has_word(line, name)));
    let names = (1..=INVARIANTS).map(|index| format!("R{index}")).filter(|_| !ring.is_empty());
    findings.extend(names.filter(|name| !is_cited(name)).map(|name| {
        Finding::new(&format!("{RING}src/lib.rs"), 1, format!("no source cites the invariant {name}"))
    }));
    findings
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let code = code_of(text);
    let code: Vec<&str> = code.lines().collect();
    let lines: Vec<&str> = text.lines().collect();
    let mut findings = Vec::new();
    let mut is_import = false;
    for (index, line) in code.iter().enumerate() {
        is_import |= line.trim_start().starts_with("use ");
        let ordering = ORDERINGS.iter().find(|ordering| has_word(line, ordering));
        if let Some(ordering) = ordering.filter(|_| !is_import && !is_explained(&lines, &code, index)) {
            findings.push(Finding::new(path, index + 1, format!("{ordering}: with what does it pair?")));
        }
        is_import &= !line.contains(';');
    }
    findings
}

/// Whether a comment on a line, or above one of those that it is inside of, gives a reason.
fn is_explained(lines: &[&str], code: &[&str], index: usize) -> bool {
    let comment = lines[index].get(code[index].trim_end().len()..).unwrap_or_default();
    if gives_reason(comment) {
        return true;
    }
    let mut inside = usize::MAX;
    for above in (0..=index).rev().filter(|above| !code[*above].trim().is_empty()) {
        let indent = code[above].len() - code[above].trim_start().len();
        if indent >= inside || code[above].trim_start().starts_with(['}', ')', ']']) {
            continue;
        }
        inside = indent;
        if comments_above(lines, above).any(gives_reason) {
            return true;
        }
        if has_word(code[above], "fn") {
            return false;
        }
    }
    false
}

fn gives_reason(comment: &str) -> bool {
    let is_number = |word: &str| {
        word.strip_prefix('R')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let mut words = comment.split(|letter: char| !letter.is_alphanumeric());
    comment.contains("pairs with") || words.any(|word| ORDERINGS.contains(&word) || is_number(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        check_file("a.rs", text).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn an_ordering_without_a_reason_is_found() {
        let text = "use Ordering::{\n    Relaxed,\n};\n\n/// Loads it.\nfn f() {\n    a.load(Relaxed);\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn g() { a.load(Relaxed) }\n}\n";
        assert_eq!(lines(text), ["a.rs:7: Relaxed: with what does it pair?"]);
    }

    #[test]
    fn reasons_are_found_where_they_are() {
        let line = "fn f() {\n    a.load(Acquire); // pairs with g\n}\n";
        let statement = "fn f() {\n    // R7\n    let x =\n        a.load(Acquire);\n}\n";
        let block = "fn f() {\n    // R5\n    if x {\n        y();\n        a.load(Relaxed);\n    }\n}\n";
        let function = "/// F.\n// It pairs with g.\n#[inline]\nfn f() {\n    y();\n    a.load(Acquire)\n}\n";
        assert!([line, statement, block, function].iter().all(|text| lines(text).is_empty()));
    }

    #[test]
    fn a_reason_of_something_else_is_none() {
        let other = "fn f() {\n    // R7\n    a.load(Acquire);\n    b.load(Acquire);\n}\n";
        let before = "// Acquire: pairs with g.\nfn f() {\n}\n\nfn g() {\n    b.load(Acquire);\n}\n";
        assert_eq!((lines(other).len(), lines(before).len()), (1, 1));
    }

    #[test]
    fn an_invariant_that_is_not_cited_is_found() {
        let text: String = (2..=INVARIANTS).map(|index| format!("// R{index}\n")).collect();
        let found = check(&Repository::of(&[("crates/ring_buffer/src/a.rs", &text)]));
        assert_eq!(
            found,
            [Finding::new("crates/ring_buffer/src/lib.rs", 1, "no source cites the invariant R1")]
        );
    }
}
