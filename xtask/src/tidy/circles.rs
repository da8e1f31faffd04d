//! Inside a crate, too, arrows run down only: no module takes something from one that takes from it.
//!
//! An arrow is a path: of a `use`, or of several names elsewhere. A module that declares others and hands
//! on what they have is not in a circle with them.

use super::finding::Finding;
use super::modules::Modules;
use super::production::production;
use super::tree::Repository;
use std::collections::{BTreeMap, BTreeSet};

type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Circles of modules.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let sources: Vec<(&str, String)> = production(tree).collect();
    let crates = tree.crates();
    let sources = || sources.iter().map(|(path, code)| (*path, code.as_str()));
    crates.iter().flat_map(|found| check_crate(found.directory(), sources())).collect()
}

fn check_crate<'a>(directory: &str, sources: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Finding> {
    let arrows = Modules::of(directory, sources).taken();
    let finding = |circle: &BTreeSet<&str>| {
        let files: Vec<&str> = circle.iter().copied().collect();
        let text = format!("takes from modules that take from it: {}", files[1..].join(", "));
        Finding::new(files[0], 1, text)
    };
    circles(&arrows).iter().map(finding).collect()
}

/// The circles, each as the files in it.
fn circles<'a>(arrows: &Arrows<'a>) -> BTreeSet<BTreeSet<&'a str>> {
    let reached: Arrows = arrows.keys().map(|file| (*file, reached(arrows, file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let circle =
        |file: &&'a str| reached[file].iter().copied().filter(|other| reaches(other, file)).collect();
    arrows.keys().filter(|file| reaches(file, file)).map(circle).collect()
}

/// All files that a walk along the arrows comes to from `file`.
fn reached<'a>(arrows: &Arrows<'a>, file: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        let next = arrows.get(file).into_iter().flatten().copied();
        open.extend(next.filter(|next| found.insert(*next)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(sources: &[(&str, &str)]) -> Vec<String> {
        let manifest = ("crates/c/Cargo.toml", "[package]\nname = \"c\"\n");
        let files: Vec<(&str, &str)> = sources.iter().copied().chain([manifest]).collect();
        check(&Repository::of(&files)).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_circle_is_found() {
        let files = [
            ("crates/c/src/lib.rs", "mod a;\nmod b;\nmod d;\npub use d::D;"),
            ("crates/c/src/a.rs", "use crate::b::B;"),
            ("crates/c/src/b.rs", "fn f(d: crate::D) {}"),
            ("crates/c/src/d.rs", "use super::a::A;"),
        ];
        let expected = "crates/c/src/a.rs:1: takes from modules that take from it: \
                        crates/c/src/b.rs, crates/c/src/d.rs";
        assert_eq!(findings(&files), [expected]);
    }

    #[test]
    fn arrows_that_run_down_are_not() {
        let files = [
            (
                "crates/c/src/lib.rs",
                "mod a;\nmod b;\npub use a::A;\n#[cfg(test)]\nmod tests { use crate::a; }",
            ),
            ("crates/c/src/a.rs", "use crate::b::B;"),
            ("crates/c/src/b.rs", "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}"),
        ];
        assert!(findings(&files).is_empty());
    }
}
