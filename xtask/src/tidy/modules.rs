//! The modules of a crate, and which takes something from which.

use super::paths::{Path, paths};
use std::collections::{BTreeMap, BTreeSet};

/// How many re-exports in a row are followed.
const HOPS: usize = 8;

/// The modules of one crate that have a file of their own, by what they are called in it.
#[derive(Debug, Default)]
pub struct Modules<'a> {
    modules: BTreeMap<Vec<String>, Module<'a>>,
}

#[derive(Debug)]
struct Module<'a> {
    /// The path of its file.
    file: &'a str,
    paths: Vec<Path>,
}

/// What a name stands for: a module, and the item in it if it isn't the module itself.
type Meaning = (Vec<String>, Option<String>);

impl<'a> Modules<'a> {
    /// The modules of the crate whose sources are in `directory`.
    pub fn of(directory: &str, sources: impl Iterator<Item = (&'a str, &'a str)>) -> Modules<'a> {
        let mut modules = BTreeMap::new();
        for (file, code) in sources {
            if let Some(name) = name(directory, file) {
                modules.insert(name, Module { file, paths: paths(code) });
            }
        }
        Modules { modules }
    }

    /// Each module's file, with the files that it takes something from. What a module only hands on is not
    /// taken by it, but by those who name it there. What a module has is there for the modules inside it, so
    /// those don't count as taking from it.
    pub fn taken(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let taken = |(name, module): (&Vec<String>, &Module<'a>)| {
            let own = module.paths.iter().filter(|path| !path.is_exported);
            let files = own.filter_map(|path| {
                let start = self.start(name, path)?;
                let (found, item) = self.resolve(start, HOPS);
                let item = item.filter(|_| !name.starts_with(&found));
                // To name a module takes nothing from it: that is done where the name is used.
                item.and(self.modules.get(&found)).map(|module| module.file)
            });
            (module.file, files.filter(|file| *file != module.file).collect())
        };
        self.modules.iter().map(taken).collect()
    }

    /// A path's names from the root of the crate. None when it leads to another crate.
    fn start(&self, module: &[String], path: &Path) -> Option<Vec<String>> {
        let mut names = path.names.iter();
        let mut start = module.to_vec();
        match names.next()?.as_str() {
            "crate" => start.clear(),
            "self" => {}
            "super" if path.depth == 0 => drop(start.pop()?),
            "super" => {}
            first => start = self.named_here(module, first, path)?,
        }
        let mut depth = path.depth.saturating_sub(1);
        for name in names {
            match (name.as_str(), depth) {
                ("super", 0) => drop(start.pop()?),
                ("super", _) => depth -= 1,
                _ => start.push(name.clone()),
            }
        }
        Some(start)
    }

    /// What a first name stands for that is no keyword: a child, or what a `use` has brought.
    fn named_here(&self, module: &[String], first: &str, path: &Path) -> Option<Vec<String>> {
        let child = joined(module, first);
        if self.modules.contains_key(&child) {
            return Some(child);
        }
        let is_it = |import: &&Path| {
            import.alias.as_deref() == Some(first) && import.names != path.names && import.names[0] != first
        };
        let import = self.modules.get(module)?.paths.iter().find(is_it)?;
        self.start(module, import)
    }

    /// The module that a path ends in, and the item there. Re-exports are followed.
    fn resolve(&self, names: Vec<String>, hops: usize) -> Meaning {
        let depth = (0..=names.len()).rev().find(|depth| self.modules.contains_key(&names[..*depth]));
        let (module, rest) = names.split_at(depth.unwrap_or(0));
        let Some(item) = rest.first() else { return (module.to_vec(), None) };
        let exports = self.modules.get(module).into_iter().flat_map(|found| &found.paths);
        let is_it = |path: &&Path| path.is_exported && path.alias.as_deref() == Some(item);
        let target = exports.filter(|_| hops > 0).find(is_it).and_then(|path| self.start(module, path));
        match target {
            Some(mut target) if target != names => {
                target.extend(rest[1..].iter().cloned());
                self.resolve(target, hops - 1)
            }
            _ => (module.to_vec(), Some(item.clone())),
        }
    }
}

/// What the module in a file is called: its names from the root.
fn name(directory: &str, file: &str) -> Option<Vec<String>> {
    let inside = file.strip_prefix(directory)?.strip_prefix("/src/")?.strip_suffix(".rs")?;
    let mut names: Vec<String> = inside.split('/').map(str::to_string).collect();
    if names.last().is_some_and(|last| last == "mod") || matches!(inside, "lib" | "main") {
        names.pop();
    }
    Some(names)
}

fn joined(module: &[String], name: &str) -> Vec<String> {
    module.iter().cloned().chain([name.to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(sources: &[(&str, &str)]) -> Vec<String> {
        let modules = Modules::of("c", sources.iter().copied());
        let arrows = modules.taken();
        arrows.iter().flat_map(|(from, to)| to.iter().map(move |to| format!("{from} {to}"))).collect()
    }

    #[test]
    fn what_is_named_is_taken() {
        let (lib, a) =
            ("mod a;\nmod b;\nfn f() { a::g() }\nfn h() {}", "use crate::h;\nfn g() { super::b::k() }");
        let found = taken(&[("c/src/lib.rs", lib), ("c/src/a.rs", a), ("c/src/b.rs", "")]);
        assert_eq!(found, ["c/src/a.rs c/src/b.rs", "c/src/lib.rs c/src/a.rs"]);
    }

    #[test]
    fn what_is_handed_on_is_taken_where_it_is() {
        let lib = "mod a;\nmod b;\npub use a::A;\npub use b::*;";
        let found = taken(&[("c/src/lib.rs", lib), ("c/src/a.rs", ""), ("c/src/b.rs", "use crate::A;")]);
        assert_eq!(found, ["c/src/b.rs c/src/a.rs"]);
    }

    #[test]
    fn a_name_of_a_module_leads_into_it() {
        let b = "use crate::a::{self, d};\nfn f() { a::g(); d::h() }";
        let files =
            [("c/src/main.rs", ""), ("c/src/a/mod.rs", "mod d;"), ("c/src/a/d.rs", ""), ("c/src/b.rs", b)];
        assert_eq!(taken(&files), ["c/src/b.rs c/src/a/d.rs", "c/src/b.rs c/src/a/mod.rs"]);
    }
}
