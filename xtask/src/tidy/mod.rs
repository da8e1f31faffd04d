//! `cargo xtask tidy`: the rules of the repository, as far as a program can check them.
//!
//! Each rule is a function from the files to what it finds, in a file of its own. To add one: write it,
//! show in a test that it fails on a bad input, and enter it into [`RULES`].

mod arrows;
mod changelog;
mod circles;
mod code;
mod dependencies;
mod documentation;
mod duplicates;
mod finding;
mod krate;
mod labels;
mod length;
mod links;
mod machine;
mod manifest;
mod markdown;
mod modules;
mod names;
mod orderings;
mod paths;
mod production;
mod prose;
mod reachable;
mod safety;
mod tree;
mod unfinished;
mod unsafe_code;
mod versions;
mod whitespace;
mod width;
mod words;

use crate::{Error, workspace};
use finding::Finding;
use tree::Repository;

/// A rule: its name, and what checks it.
type TidyRule = (&'static str, fn(&Repository) -> Vec<Finding>);

const RULES: &[TidyRule] = &[
    ("arrows", arrows::check),
    ("changelog", changelog::check),
    ("circles", circles::check),
    ("dependencies", dependencies::check),
    ("documentation", documentation::check),
    ("duplicates", duplicates::check),
    ("labels", labels::check),
    ("length", length::check),
    ("links", links::check),
    ("machine", machine::check),
    ("manifest", manifest::check),
    ("names", names::check),
    ("orderings", orderings::check),
    ("reachable", reachable::check),
    ("safety", safety::check),
    ("unfinished", unfinished::check),
    ("unsafe-code", unsafe_code::check),
    ("versions", versions::check),
    ("whitespace", whitespace::check),
    ("width", width::check),
    ("words", words::check),
];

/// Checks all rules and prints what breaks them. Whether nothing does.
pub fn run() -> Result<bool, Error> {
    let tree = Repository::read(&workspace::root())?;
    let mut found: Vec<(Finding, &str)> = RULES
        .iter()
        .flat_map(|(name, check)| check(&tree).into_iter().map(move |found| (found, *name)))
        .collect();
    found.sort();
    for (finding, rule) in &found {
        println!("{finding} [{rule}]");
    }
    Ok(found.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_in_order_and_have_names_of_their_own() {
        assert!(RULES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
