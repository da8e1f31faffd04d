//! Clients of the kernel's tracefs other than trace-cmd, as Debian has them, on sessions.

mod kernel;
mod kernelshark;
mod libtracefs;
mod perf;

use crate::common::*;
use session::{Session, SessionOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A session in which nothing is enabled.
struct Place {
    scratch: Scratch,
}

impl Place {
    fn new() -> Place {
        let scratch = Scratch::new();
        let options =
            SessionOptions { buffer_kb: 1024, snapshots: 1, instances: 2, ..SessionOptions::default() };
        Session::create(&scratch.path("session"), &options).unwrap();
        Place { scratch }
    }

    /// The command, for this session; programs find it in `$LOOKBACK`.
    fn lookback(&self, arguments: &[&str]) -> Command {
        self.in_session(self.scratch.lookback(arguments))
    }

    fn in_session(&self, mut command: Command) -> Command {
        command.env("LOOKBACK_SESSION", self.scratch.path("session")).env("LOOKBACK", LOOKBACK);
        command
    }
}

/// Compiles the C files in a directory here to `path`, with more options.
#[track_caller]
fn compile_all(directory: &str, path: &Path, options: &[String]) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/clients").join(directory);
    let files = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "c")).collect();
    let mut compiler = Command::new("cc");
    compiler
        .args(["-Wall", "-Werror", "-D_GNU_SOURCE", "-pthread", "-o"])
        .arg(path)
        .args(sources)
        .args(options);
    run(&mut compiler).success();
}
