//! What a call of the compiler compiles.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A call of the compiler that makes code for the program.
#[derive(Debug, Eq, PartialEq)]
pub struct Compilation {
    /// The crate.
    pub name: String,
    /// Where its list of functions is. The path is the same each time: it is among the options that decide
    /// whether what an earlier compilation has left is used again.
    pub list: PathBuf,
    /// Whether LLVM has to be told to read the list, as it does by itself when it optimizes.
    pub unoptimized: bool,
}

impl Compilation {
    /// What these arguments compile; None for all that needs no sites: questions, `cargo check`, procedural
    /// macros, build scripts and what they use. Of these, cargo compiles all without `--target`.
    pub fn new(arguments: &[OsString]) -> Option<Compilation> {
        let texts: Vec<&str> = arguments.iter().map(|text| text.to_str().unwrap_or_default()).collect();
        let name = option(&texts, "--crate-name").next().filter(|name| *name != "___")?;
        let directory = option(&texts, "--out-dir").next()?;
        option(&texts, "--target").next()?;
        let is_macro = option(&texts, "--crate-type").any(|kind| kind == "proc-macro");
        let makes_code = option(&texts, "--emit").any(|what| what.split(',').any(|what| what == "link"));
        if is_macro || !makes_code {
            return None;
        }
        let code = |key: &str| option(&texts, "-C").filter_map(|value| value.strip_prefix(key)).last();
        let file = format!("{name}{}.functions.csv", code("extra-filename=").unwrap_or_default());
        Some(Compilation {
            name: name.to_string(),
            list: Path::new(directory).join(file),
            unoptimized: matches!(code("opt-level="), None | Some("0")),
        })
    }
}

/// The values of an option, in whichever form.
fn option<'a>(texts: &'a [&'a str], name: &'a str) -> impl Iterator<Item = &'a str> {
    texts.iter().enumerate().filter_map(move |(index, text)| {
        let rest = text.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            _ if rest.is_empty() => texts.get(index + 1).copied(),
            Some(value) => Some(value),
            None => (name == "-C").then_some(rest),
        }
    })
}

/// The options by which functions in a list get what it says.
pub fn list_options(list: &Path, unoptimized: bool) -> Vec<OsString> {
    let mut path = OsString::from("llvm-args=-forceattrs-csv-path=");
    path.push(list);
    let mut options = vec!["-C".into(), path];
    if unoptimized {
        options.extend(["-C", "passes=forceattrs"].map(OsString::from));
    }
    options
}

/// The arguments without what says which files are made, and where; and without the cache of an earlier
/// compilation, which would be that of other options.
pub fn without_outputs(arguments: &[OsString]) -> Vec<OsString> {
    let mut left = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match &*text {
            "--out-dir" | "--emit" | "-o" => drop(rest.next()),
            "-C" => match rest.next() {
                Some(value) if value.to_string_lossy().starts_with("incremental=") => {}
                value => left.extend([Some(argument), value].into_iter().flatten().cloned()),
            },
            _ if ["--out-dir=", "--emit=", "-Cincremental="].iter().any(|name| text.starts_with(name)) => {}
            _ => left.push(argument.clone()),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn programs_and_libraries_are_compilations() {
        let text = "--crate-name shop src/main.rs --crate-type bin --emit=dep-info,link -C opt-level=3 \
                    -C extra-filename=-12 --out-dir /t/deps --target x86_64-unknown-linux-gnu";
        let expected = Compilation {
            name: "shop".to_string(),
            list: "/t/deps/shop-12.functions.csv".into(),
            unoptimized: false,
        };
        assert_eq!(Compilation::new(&arguments(text)), Some(expected));
        assert!(
            Compilation::new(&arguments(&text.replace("=3", "=0"))).is_some_and(|found| found.unoptimized)
        );
        for (part, other) in [
            ("dep-info,link", "dep-info,metadata"),
            ("--target x86_64-unknown-linux-gnu", "-v"),
            ("--crate-type bin", "--crate-type proc-macro"),
            ("shop src/main.rs", "___ -"),
        ] {
            assert_eq!(Compilation::new(&arguments(&text.replace(part, other))), None, "{other}");
        }
    }

    #[test]
    fn outputs_are_left_out() {
        let text = "a.rs --emit=link -C incremental=/i -C opt-level=1 --out-dir /t --test";
        assert_eq!(without_outputs(&arguments(text)), arguments("a.rs -C opt-level=1 --test"));
    }
}
