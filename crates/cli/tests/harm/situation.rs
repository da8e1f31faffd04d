//! A situation: a script whose output is the same in every way of running it.

use crate::bisection::fewest;
use crate::run::{Run, command, lookback, run, run_within};
use crate::way::{ALL_FUNCTIONS, Way};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Situation {
    /// The script, without `.sh`.
    pub(crate) name: &'static str,
    /// The programs that it needs. `setup` installs them.
    pub(crate) needs: &'static [&'static str],
}

/// Who runs programs that don't want to be run by root.
const NOBODY: u32 = 65534;

impl Situation {
    /// Runs the script in these ways, and compares. Where it differs with functions traced, it says which.
    pub(crate) fn harms_nobody(&self, ways: &[Way<'_>]) {
        for program in self.needs {
            assert!(is_installed(program), "{program} is not installed: run ./setup");
        }
        let expected = self.run(Way::Plain, |_| ());
        assert!(expected.is_ok(), "plain: {expected}");
        for way in ways.iter().copied() {
            let found = self.run(way, |_| ());
            if is_same(way, &expected, &found) {
                continue;
            }
            let culprits = match way {
                Way::Functions(tracer, _) => self.culprits(tracer, &expected),
                _ => Vec::new(),
            };
            let differences = differences(&expected, &found);
            panic!(
                "{way:?} differs, so with these alone: {culprits:?}\n{differences}\nplain: {expected}\n{way:?}: \
                 {found}"
            );
        }
    }

    /// The fewest functions that are enough for the script to differ, found by halves: of files, then of
    /// their functions.
    pub(crate) fn culprits(&self, tracer: &'static str, expected: &Run) -> Vec<String> {
        let mut all = Vec::new();
        self.run(Way::Functions(tracer, ALL_FUNCTIONS), |session| all = functions(session));
        let differs = |patterns: &[&str]| {
            let way = Way::Functions(tracer, patterns);
            !is_same(way, expected, &self.run(way, |_| ()))
        };
        let mut files: Vec<&str> = all.iter().map(|function| file(function)).collect();
        files.sort_unstable();
        files.dedup();
        let files = fewest(files, differs);
        let functions = all.iter().map(String::as_str).filter(|function| files.contains(&file(function)));
        fewest(functions.collect(), differs).into_iter().map(String::from).collect()
    }

    /// Runs the script in a directory that nothing else is in. `look` may look at the session.
    pub(crate) fn run(&self, way: Way<'_>, look: impl FnOnce(&Path)) -> Run {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harm");
        let script = tests.join("situations").join(self.name).with_extension("sh");
        let place = Place::new();
        let words = way.words(&place.path().join("of-lookback"));
        let words = [words, vec!["sh".into(), script.into()]].concat();
        let mut command = command(words[0].to_str().unwrap());
        command.args(&words[1..]).current_dir(place.path().join("work"));
        command
            .env("PROGRAMS", tests.join("programs"))
            .env("LAWS", tests.join("../laws/programs"))
            .env("SERVICES", tests.join("../services"))
            .env("HOME", place.path());
        command
            .env("LC_ALL", "C")
            .env("CACHE", env!("CARGO_TARGET_TMPDIR"))
            .env("NOBODY", NOBODY.to_string())
            .env_remove("LD_LIBRARY_PATH");
        let found = run_within(way.limit(), command);
        look(&place.path().join("of-lookback/session"));
        way.check(&place.path().join("of-lookback"), self.name);
        found
    }
}

/// The functions that were traced in a session, as patterns that mean one each.
fn functions(session: &Path) -> Vec<String> {
    let mut list = lookback();
    list.args(["list", "-f", ":mod:*", "--session"]).arg(session);
    let pattern = |line: &str| {
        let (name, rest) = line.split_once(" [")?;
        Some(format!("{name}:mod:{}", rest.split_once(']')?.0))
    };
    run(list).output.lines().filter_map(pattern).collect()
}

/// The pattern that means all functions of the file that this one is in.
fn file(function: &str) -> &str {
    function.rfind(":mod:").map_or(function, |start| &function[start..])
}

/// Whether a script has come to the same.
fn is_same(way: Way<'_>, expected: &Run, found: &Run) -> bool {
    let lines = |run: &Run| -> Vec<String> {
        run.output.lines().filter(|line| !way.shows(line)).map(String::from).collect()
    };
    (lines(expected), expected.status, &expected.errors) == (lines(found), found.status, &found.errors)
}

/// A directory with one for the script and one for lookback, which everybody may use.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let open = || std::fs::Permissions::from_mode(0o777);
        // Its name is short, as those of sockets have to be.
        let place = tempfile::Builder::new().prefix("harm-").permissions(open()).tempdir_in("/tmp").unwrap();
        for name in ["work", "of-lookback"] {
            std::fs::create_dir(place.path().join(name)).unwrap();
            std::fs::set_permissions(place.path().join(name), open()).unwrap();
        }
        Place(place)
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }
}

/// The lines that one of them alone has.
fn differences(expected: &Run, found: &Run) -> String {
    let lines = |run: &Run| -> Vec<String> {
        let all = run.output.lines().chain(run.errors.lines());
        all.map(String::from).collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let missing = expected.iter().filter(|line| !found.contains(line)).map(|line| format!("- {line}\n"));
    let added = found.iter().filter(|line| !expected.contains(line)).map(|line| format!("+ {line}\n"));
    missing.chain(added).collect()
}

fn is_installed(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "PATH=$PATH:/usr/sbin:/sbin; command -v \"$0\"", program]);
    command.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}
