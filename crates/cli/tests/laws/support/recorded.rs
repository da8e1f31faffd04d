//! What lookback is called with to record a program.

use super::run::{Run, lookback, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The object that traced programs load.
pub(crate) fn preload_object() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let mut command = lookback();
        command.arg("preload");
        PathBuf::from(run(command).output.trim())
    })
}

/// Records, into `file`, the command that `make` makes from the words that have to stand before it.
pub(crate) fn record(options: &[&str], file: &Path, make: impl FnOnce(&[&str]) -> Command) -> Run {
    let file = file.to_str().unwrap();
    let words = [&[env!("CARGO_BIN_EXE_lookback"), "record", "-o", file], options, &["--"]].concat();
    run(make(&words))
}
