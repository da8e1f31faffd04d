//! Nothing depends on the machine that it was written on.

use super::finding::Finding;
use super::tree::Repository;

/// Directories that only one machine has.
const DIRECTORIES: &[&str] = &["/root/", "/work/", "/home/"];

/// Where packages come from is the business of each machine's own settings.
const HOSTS: &[&str] = &[
    "index.crates.io",
    "static.crates.io",
    "proxy.golang.org",
    "registry.npmjs.org",
    "pypi.org",
    "deb.debian.org",
    "artifactory",
    "nexus-",
];

/// What a lock file may name as the source of a package.
const SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Paths of a machine, and hosts of registries.
pub fn check(tree: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The rule itself has to name what it looks for.
    for (path, text) in tree.texts().filter(|(path, _)| *path != "xtask/src/tidy/machine.rs") {
        for (index, line) in text.lines().enumerate() {
            for directory in DIRECTORIES.iter().filter(|directory| has_directory(line, directory)) {
                findings.push(Finding::new(path, index + 1, format!("names {directory} of some machine")));
            }
            for host in HOSTS.iter().filter(|host| line.contains(*host)) {
                findings.push(Finding::new(path, index + 1, format!("names {host}")));
            }
            if path == "Cargo.lock" && line.starts_with("source = ") && line != SOURCE {
                findings.push(Finding::new(path, index + 1, "has a package from another place"));
            }
        }
    }
    findings
}

/// Whether the line has the directory at the start of a path, and not in the middle of one.
fn has_directory(line: &str, directory: &str) -> bool {
    line.match_indices(directory).any(|(place, _)| {
        let before = line[..place].chars().next_back();
        !before
            .is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '}' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&Repository::of(&[(path, text)])).len()
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        assert_eq!(findings("a.rs", "let path = \"/home/someone/a\";\n"), 1);
        assert_eq!(findings("a.md", "in /root/a and /work/b\n"), 2);
        assert_eq!(findings("a.md", "in docs/work/b, on cgroup/root/x\n"), 0);
    }

    #[test]
    fn registries_are_found() {
        assert_eq!(findings("a.toml", "index = \"https://index.crates.io/\"\n"), 1);
        assert_eq!(findings("Cargo.lock", "source = \"registry+https://example.org/\"\n"), 1);
        assert_eq!(findings("Cargo.lock", &format!("{SOURCE}\n")), 0);
    }
}
