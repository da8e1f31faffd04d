//! `lookback sql`: another program's work, which has the engine that this one does without.

use crate::failure::{Done, Failure, code};
use crate::record::program::locate;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program.
const PROGRAM: &str = "lookback-sql";

/// Asks a trace, as the words after the task's name say.
pub(crate) fn run() -> Done {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(place) = words.iter().position(|word| word == "sql") {
        words.remove(place);
    }
    execute(&words)
}

/// Writes a trace as Parquet: its calls to FILE.parquet, or all tables into a directory.
pub(crate) fn write_parquet(trace: &Path, out: &Path, is_quiet: bool) -> Done {
    let mut words: Vec<OsString> = vec!["--parquet".into(), out.into()];
    words.extend(is_quiet.then(|| "--quiet".into()));
    words.extend(["--".into(), trace.into()]);
    execute(&words)
}

/// Becomes the program.
fn execute(words: &[OsString]) -> Done {
    let program = find().ok_or_else(|| {
        Failure::new(
            code::NOT_FOUND,
            "lookback-sql is neither next to lookback nor in $PATH; in a checkout of lookback,\n  \
             cargo install --path crates/sql\ninstalls it, in some ten minutes",
        )
    })?;
    let error = Command::new(&program).args(words).exec();
    Err(Failure::new(code::NOT_EXECUTABLE, format_args!("{}: {error}", program.display())))
}

/// Next to this program, or where a shell finds it.
fn find() -> Option<PathBuf> {
    let own = std::env::current_exe().ok().map(|path| path.with_file_name(PROGRAM));
    own.filter(|path| path.is_file()).or_else(|| locate(OsStr::new(PROGRAM)).ok())
}
