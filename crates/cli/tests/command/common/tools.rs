//! What has to be installed for a test.

use crate::common::{Scratch, run};
use std::path::PathBuf;

/// Where a program is.
pub fn find(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(program)).find(|path| path.is_file())
}

/// Whether a test can't be run for want of one of these programs.
#[track_caller]
pub fn is_missing(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| find(program).is_none());
    missing.is_some_and(|program| skip(&format!("{program} is not installed")))
}

/// Says that a test is not run, and why. Where everything has to be there, that is a failure.
#[track_caller]
pub fn skip(why: &str) -> bool {
    let is_strict = ["CI", "LOOKBACK_CI"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(!is_strict, "skipped: {why}");
    eprintln!("skipped: {why}");
    true
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Compiles a C program of `source` to the path `name`, with more options.
#[track_caller]
pub fn compile(scratch: &Scratch, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let path = scratch.beside(name);
    let file = scratch.beside(&format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    run(scratch.command("cc").args(["-pthread", "-o"]).arg(&path).arg(&file).args(options)).success();
    path
}
