//! A crate of the workspace.

use toml::{Table, Value};

/// A crate: where it is, and its manifest.
#[derive(Debug)]
pub struct Crate<'a> {
    /// The path of its manifest.
    pub path: &'a str,
    /// The manifest, parsed.
    pub manifest: Table,
    text: &'a str,
}

/// What a manifest names as needed.
#[derive(Debug)]
pub struct Dependency<'a> {
    /// Its name in the source.
    pub name: &'a str,
    /// What is said about it.
    pub wanted: &'a Value,
    /// The line.
    pub line: usize,
    /// Whether only tests and benchmarks need it.
    pub is_for_tests: bool,
}

impl<'a> Crate<'a> {
    /// The crate with this manifest; None when it is no manifest of a crate.
    pub fn new(path: &'a str, text: &'a str) -> Option<Crate<'a>> {
        let manifest: Table = text.parse().ok()?;
        manifest.contains_key("package").then_some(Crate { path, manifest, text })
    }

    /// Its directory.
    pub fn directory(&self) -> &'a str {
        self.path.strip_suffix("/Cargo.toml").unwrap_or(self.path)
    }

    /// The last part of its directory: what the design calls it.
    pub fn name(&self) -> &'a str {
        let directory = self.directory();
        directory.rsplit('/').next().unwrap_or(directory)
    }

    /// A key of its `[package]`.
    pub fn package(&self, key: &str) -> Option<&Value> {
        self.manifest.get("package")?.get(key)
    }

    /// The line that starts with `key`.
    pub fn line_of(&self, key: &str) -> usize {
        let is_key = |line: &str| {
            let rest = line.strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
        };
        self.text.lines().position(is_key).map_or(1, |line| line + 1)
    }

    /// What it needs, on some targets alone too.
    pub fn dependencies(&self) -> impl Iterator<Item = Dependency<'_>> {
        const TABLES: [(&str, bool); 3] =
            [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];
        let targets = self.manifest.get("target").and_then(Value::as_table);
        let targets = targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
        let sections = std::iter::once(&self.manifest).chain(targets);
        sections.flat_map(|section| TABLES.map(|table| (section, table))).flat_map(
            move |(section, (table, is_for_tests))| {
                let entries = section.get(table).and_then(Value::as_table);
                entries.into_iter().flatten().map(move |(name, wanted)| {
                    let line = self.line_of(name);
                    Dependency { name, wanted, line, is_for_tests }
                })
            },
        )
    }
}
