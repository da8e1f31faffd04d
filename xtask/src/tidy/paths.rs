//! The paths that a source names: `crate::a::B`, each with the modules written in the file that it is in.

/// A path in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Its names. `*` is the last one of a glob.
    pub names: Vec<String>,
    /// What it is called here, in a `use`.
    pub alias: Option<String>,
    /// Whether it is a `pub use`.
    pub is_exported: bool,
    /// How many modules that are written in the file itself it is in.
    pub depth: usize,
}

/// All paths of a source without comments: those of every `use`, and those of several names elsewhere.
pub fn paths(code: &str) -> Vec<Path> {
    let mut walk = PathWalk { words: words(code), at: 0, braces: 0, modules: Vec::new(), found: Vec::new() };
    while walk.at < walk.words.len() {
        walk.step();
    }
    walk.found
}

/// The names and signs of a source. `::` is one sign.
fn words(code: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let len = match first {
            _ if is_part(first) => rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        words.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    words
}

struct PathWalk<'a> {
    words: Vec<&'a str>,
    at: usize,
    braces: usize,
    /// The braces around each module that is open.
    modules: Vec<usize>,
    found: Vec<Path>,
}

impl PathWalk<'_> {
    fn word(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).copied().unwrap_or("")
    }

    fn step(&mut self) {
        match self.word(0) {
            "use" => {
                let is_exported = self.at > 0 && matches!(self.words[self.at - 1], "pub" | ")");
                self.at += 1;
                self.tree(&[], is_exported);
            }
            "mod" if self.word(2) == "{" => {
                self.modules.push(self.braces);
                self.at += 2;
            }
            "{" => {
                self.braces += 1;
                self.at += 1;
            }
            "}" => {
                self.braces = self.braces.saturating_sub(1);
                if self.modules.last() == Some(&self.braces) {
                    self.modules.pop();
                }
                self.at += 1;
            }
            first if is_name(first) && self.word(1) == "::" => {
                let names = self.names();
                self.add(names, None, false);
            }
            _ => self.at += 1,
        }
    }

    /// Takes names with `::` between them.
    fn names(&mut self) -> Vec<String> {
        let mut names = vec![self.word(0).to_string()];
        while self.word(1) == "::" && (is_name(self.word(2)) || self.word(2) == "*") {
            names.push(self.word(2).to_string());
            self.at += 2;
        }
        self.at += 1;
        names
    }

    /// Takes what follows `use`, or stands between its braces.
    fn tree(&mut self, before: &[String], is_exported: bool) {
        let mut names = before.to_vec();
        if is_name(self.word(0)) || self.word(0) == "*" {
            names.extend(self.names());
        }
        if self.word(0) == "::" {
            self.at += 1;
        }
        if self.word(0) == "{" {
            self.at += 1;
            while !matches!(self.word(0), "}" | "") {
                self.tree(&names, is_exported);
                if self.word(0) == "," {
                    self.at += 1;
                }
            }
            self.at += 1;
            return;
        }
        let alias = (self.word(0) == "as").then(|| self.word(1).to_string());
        if alias.is_some() {
            self.at += 2;
        }
        if names.last().is_some_and(|name| name == "self") && names.len() > 1 {
            names.pop();
        }
        let alias = alias.or_else(|| names.last().cloned());
        self.add(names, alias, is_exported);
        // Whatever this is, it is after us: a walk always ends.
        if !matches!(self.word(0), "," | "}" | ";") {
            self.at += 1;
        }
    }

    fn add(&mut self, names: Vec<String>, alias: Option<String>, is_exported: bool) {
        self.found.push(Path { names, alias, is_exported, depth: self.modules.len() });
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        paths(code).iter().map(|path| path.names.join("::")).collect()
    }

    #[test]
    fn every_use_is_found() {
        assert_eq!(
            found("use crate::a::{self, B, c::{D as E, *}};\npub use f;"),
            ["crate::a", "crate::a::B", "crate::a::c::D", "crate::a::c::*", "f"]
        );
        let exported = paths("pub(crate) use a::B as C;").remove(0);
        assert_eq!((exported.alias.as_deref(), exported.is_exported), (Some("C"), true));
    }

    #[test]
    fn paths_elsewhere_are_found() {
        assert_eq!(found("fn f() -> crate::a::B { super::g::<u8>(x.len()) }"), ["crate::a::B", "super::g"]);
    }

    #[test]
    fn modules_in_the_file_are_known() {
        let depths: Vec<usize> =
            paths("use a;\nmod b { fn f() { c::d() } }\nuse e;").iter().map(|path| path.depth).collect();
        assert_eq!(depths, [0, 1, 0]);
    }
}
