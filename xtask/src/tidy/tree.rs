//! The files of the repository.

use super::krate::Crate;
use crate::Error;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// All files that are in the repository, or would be if they were added.
#[derive(Debug, Default)]
pub struct Repository {
    /// By their paths; without a text where that is none.
    files: BTreeMap<String, Option<String>>,
}

impl Repository {
    /// Reads what git knows and what it doesn't ignore.
    pub fn read(root: &Path) -> Result<Repository, Error> {
        let mut git = Command::new("git");
        git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let output = git.output().map_err(|error| format!("git: {error}"))?;
        if !output.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let names = String::from_utf8_lossy(&output.stdout);
        let paths = names.split('\0').filter(|path| root.join(path).is_file());
        let file = |path: &str| (path.to_string(), std::fs::read_to_string(root.join(path)).ok());
        Ok(Repository { files: paths.map(file).collect() })
    }

    /// A tree of these files.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Repository {
        let file = |(path, text): &(&str, &str)| (path.to_string(), Some(text.to_string()));
        Repository { files: files.iter().map(file).collect() }
    }

    /// Whether there is a file or a directory of that path.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let below = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.range(below.clone()..).next().is_some_and(|(found, _)| found.starts_with(&below))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// All texts, with their paths.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// The texts with one of these extensions.
    pub fn with_extension<'a>(&'a self, extensions: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(|(path, _)| {
            let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| extensions.contains(&extension))
        })
    }

    /// The Rust sources.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.with_extension(&["rs"])
    }

    /// The crates, by the paths of their manifests. Packages of examples are none: they are as users have
    /// them.
    pub fn crates(&self) -> Vec<Crate<'_>> {
        let manifests = self.texts().filter(|(path, _)| path.ends_with("/Cargo.toml"));
        let manifests = manifests.filter(|(path, _)| !path.starts_with("examples/"));
        manifests.filter_map(|(path, text)| Crate::new(path, text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_there_with_their_files() {
        let tree = Repository::of(&[("docs/a/b.md", ""), ("docs-c", "")]);
        assert!(tree.has("docs") && tree.has("docs/a/") && tree.has("docs/a/b.md"));
        assert!(!tree.has("doc") && !tree.has("docs/b.md"));
    }
}
