//! A directory for one test.

use crate::common::tools::install;
use crate::common::{Outcome, Trace, run};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The command.
pub const LOOKBACK: &str = env!("CARGO_BIN_EXE_lookback");

/// Two directories for one test, which go with it: one in which programs run, and one next to it for what
/// they must not see.
#[derive(Debug)]
pub struct Scratch {
    directory: TempDir,
}

impl Scratch {
    pub fn new() -> Scratch {
        let directory = tempfile::tempdir().unwrap();
        for name in ["work", "outside"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        // Other users run programs here, too.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Scratch { directory }
    }

    /// A path where programs run.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("work").join(name)
    }

    /// A path that they don't see.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.directory.path().join("outside").join(name)
    }

    /// Makes a file where programs run.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes an executable file.
    pub fn write_program(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let (source, path) = (self.outside("source"), self.path(name));
        fs::write(&source, content).unwrap();
        install(self, &source, &path);
        path
    }

    /// The names of all files where programs run.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A command that runs here.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("")).stdin(Stdio::null());
        // As on a terminal of nobody's in particular, and not in a session that these tests are recorded in.
        command.env("LC_ALL", "C").env_remove("LOOKBACK_SESSION").env_remove("LD_PRELOAD");
        // Nor with colours and pagers that whoever runs these tests wants: `CI` has them on dumb terminals.
        for name in
            ["CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "NO_COLOR", "LOOKBACK_PAGER", "PAGER", "LESS"]
        {
            command.env_remove(name);
        }
        // Otherwise what is ignored depends on which threads the tests have just then.
        launch::hand_on(&mut command);
        command
    }

    /// `lookback` with arguments.
    pub fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(LOOKBACK);
        command.args(arguments);
        command
    }

    /// `lookback record`, which writes to `trace.dat` next to, with arguments of its own and a program's.
    pub fn record(&self, options: &[&str], program: &[&str]) -> Command {
        let mut command = self.lookback(&["record"]);
        command.arg("-o").arg(self.outside("trace.dat")).args(options).arg("--").args(program);
        command
    }

    /// What [`Scratch::record`] has recorded.
    #[track_caller]
    pub fn trace(&self) -> Trace {
        Trace::new(&run(&mut self.report(&[])).success().stdout)
    }

    /// `lookback report` of what was recorded.
    pub fn report(&self, options: &[&str]) -> Command {
        let mut command = self.lookback(&["report"]);
        command.args(options).arg(self.outside("trace.dat"));
        command
    }

    /// A session whose buffers have overwritten most of what a program has done: its path.
    #[track_caller]
    pub fn overwritten_session(&self) -> String {
        let session = self.outside("session").display().to_string();
        run(&mut self.lookback(&["start", "-q", "-b", "64", "--session", &session])).success();
        run(&mut self.lookback(&["run", "--session", &session, "--", "ls", "-lR", "/usr/share/doc"]))
            .success();
        session
    }

    /// Records a program and gives what it did; `outcome` says how it must have ended.
    #[track_caller]
    pub fn recorded(&self, program: &[&str]) -> (Outcome, Trace) {
        let outcome = run(&mut self.record(&["-q"], program));
        let trace = self.trace();
        (outcome, trace)
    }
}

/// Whether a lookback with this PID has left a session of its own.
pub fn is_left(pid: u32) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let place = Path::new("/dev/shm").join(format!("lookback-{user}"));
    let own = format!("record-{pid}");
    let Ok(entries) = fs::read_dir(place) else { return false };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    // While it is made, something is after its name.
    names.into_iter().any(|name| name == own || name.starts_with(&format!("{own}.")))
}

/// Checks that a lookback that has failed has left nothing: no session, no part of a file, no file.
#[track_caller]
pub fn assert_nothing_left(scratch: &Scratch, pid: u32) {
    assert!(!is_left(pid), "a session");
    assert!(!scratch.outside("trace.dat").exists());
    for directory in [scratch.path(""), scratch.outside("")] {
        let names = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.file_name());
        let temporary: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with(".tmp")).collect();
        assert!(temporary.is_empty(), "{temporary:?}");
    }
}
