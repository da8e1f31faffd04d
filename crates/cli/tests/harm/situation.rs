//! A situation: a script whose output is the same in every way of running it.

use crate::run::{Run, command, run};
use crate::way::Way;
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
    /// Runs the script in all ways, and compares.
    pub(crate) fn harms_nobody(&self) {
        for program in self.needs {
            assert!(is_installed(program), "{program} is not installed: run ./setup");
        }
        let expected = self.run(Way::Plain);
        assert!(expected.is_ok(), "plain: {expected}");
        for way in [Way::Recorded, Way::Everything, Way::Stacks] {
            let found = self.run(way);
            let differences = differences(&expected, &found);
            assert!(
                expected == found,
                "{way:?} differs:\n{differences}\nplain: {expected}\n{way:?}: {found}"
            );
        }
    }

    /// Runs the script in a directory that nothing else is in.
    fn run(&self, way: Way) -> Run {
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
        let found = run(command);
        way.check(&place.path().join("of-lookback"), self.name);
        found
    }
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
