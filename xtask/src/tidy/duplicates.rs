//! One name, one thing: no two types of the workspace have the same name.

use super::finding::Finding;
use super::production::production;
use super::tree::Repository;
use std::collections::BTreeMap;

/// What defines a type.
const KEYWORDS: &[&str] = &["struct", "enum", "trait", "type", "union"];

/// Names that may be used again, and why.
const EXCEPTIONS: &[&str] = &[
    // By custom, each crate calls so what goes wrong there.
    "Error",
];

/// Types whose name another one has, too.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut types: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, code) in production(tree) {
        for (line, name) in
            code.lines().enumerate().filter_map(|(index, line)| Some((index + 1, defined(line)?)))
        {
            types.entry(name.to_string()).or_default().push((path, line));
        }
    }
    types
        .iter()
        .filter(|(name, places)| places.len() > 1 && !EXCEPTIONS.contains(&name.as_str()))
        .flat_map(|(name, places)| {
            places[1..].iter().map(move |(path, line)| {
                let (first, at) = places[0];
                Finding::new(path, *line, format!("{name} is a type in {first}:{at}, too"))
            })
        })
        .collect()
}

/// The name of the type that a line defines. An associated type is none of its own.
fn defined(line: &str) -> Option<&str> {
    if line.trim_start() != line && line.trim_start().starts_with("type ") {
        return None;
    }
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || *word == "unsafe");
    let keyword = words.next()?;
    let name = words.next().filter(|_| KEYWORDS.contains(&keyword))?;
    let name = name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_two_types_is_found() {
        let found = check(&Repository::of(&[
            ("crates/a/src/a.rs", "pub struct Thing;\ntype Error = u8;\n"),
            (
                "crates/b/src/b.rs",
                "\npub(crate) enum Thing<T> {}\nstruct Error;\nstruct Other;\nimpl A {\n    type Thing = u8;\n}\n",
            ),
            ("crates/b/src/c.rs", "#[cfg(test)]\nmod tests {\n    struct Other;\n}\n"),
            ("crates/b/tests/d.rs", "struct Other;\n"),
        ]));
        assert_eq!(
            found,
            [Finding::new("crates/b/src/b.rs", 2, "Thing is a type in crates/a/src/a.rs:1, too")]
        );
    }
}
