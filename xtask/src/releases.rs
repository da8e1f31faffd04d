//! Releases, as CHANGELOG.md has them: a heading for each, the newest first.

use crate::{Error, workspace};

/// A release: its heading, and what has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The version, or `Unreleased`.
    pub version: String,
    /// What has changed, in Markdown.
    pub notes: String,
}

/// Those of the project.
pub fn all() -> Result<Vec<Release>, Error> {
    let path = workspace::root().join("CHANGELOG.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(parse(&text))
}

/// Prints the notes of a version, or of the newest.
pub fn print(version: Option<&str>) -> Result<bool, Error> {
    let releases = all()?;
    let is_meant = |release: &&Release| version.is_none_or(|version| release.version == version);
    let release = releases.iter().find(is_meant).ok_or_else(|| {
        let known: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
        format!("CHANGELOG.md has no such version: it has {}", known.join(", "))
    })?;
    println!("{}", release.notes);
    Ok(true)
}

/// `## VERSION`, maybe with a date after it, and what follows.
fn parse(text: &str) -> Vec<Release> {
    let sections = text.split("\n## ").skip(1);
    let release = |section: &str| {
        let (heading, notes) = section.split_once('\n').unwrap_or((section, ""));
        let version = heading.split([' ', ',']).next().unwrap_or_default().trim_matches(['[', ']']);
        Release { version: version.to_owned(), notes: notes.trim().to_owned() }
    };
    sections.map(release).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_what_stands_under_its_heading() {
        let text =
            "# Changes\n\n## Unreleased\n\n* new\n\n## 0.2.0 (2027-01-02)\n\n* more\n* better\n\n## 0.1.0\n";
        let found = parse(text).into_iter().map(|release| (release.version, release.notes));
        let found: Vec<(String, String)> = found.collect();
        let expected = [("Unreleased", "* new"), ("0.2.0", "* more\n* better"), ("0.1.0", "")];
        assert_eq!(found, expected.map(|(version, notes)| (version.to_owned(), notes.to_owned())));
    }
}
