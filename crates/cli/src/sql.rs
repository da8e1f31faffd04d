//! `lookback sql`: another program's work, which has the engine that this one does without.

use crate::failure::{Done, Failure, code};
use crate::record::program::locate;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::AsRawFd;
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

/// Writes a trace that is an open file, which is called so in what is said and written, and which may be all
/// that could be read of another.
pub(crate) fn write_parquet_of(
    (trace, damage): (&File, Option<&str>),
    name: &str,
    out: &Path,
    is_quiet: bool,
) -> Done {
    // The program inherits it, and opens it once for each that reads.
    rustix::io::fcntl_setfd(trace, rustix::io::FdFlags::empty()).map_err(Failure::failed)?;
    let path = format!("/proc/self/fd/{}", trace.as_raw_fd());
    let mut words = vec!["--named".into(), name.into()];
    words.extend(damage.map(|damage| format!("--damage={damage}").into()));
    write_tables(words, Path::new(&path), out, is_quiet)
}

/// Writes a trace as Parquet: its calls to FILE.parquet, or all tables into a directory.
pub(crate) fn write_parquet(trace: &Path, out: &Path, is_quiet: bool) -> Done {
    write_tables(Vec::new(), trace, out, is_quiet)
}

fn write_tables(mut words: Vec<OsString>, trace: &Path, out: &Path, is_quiet: bool) -> Done {
    words.extend(["--parquet".into(), out.into()]);
    words.extend(is_quiet.then(|| "--quiet".into()));
    words.extend(["--".into(), trace.into()]);
    execute(&words)
}

/// Becomes the program.
fn execute(words: &[OsString]) -> Done {
    let program = program()?;
    let error = Command::new(&program).args(words).exec();
    Err(Failure::new(code::NOT_EXECUTABLE, format_args!("{}: {error}", program.display())))
}

/// Where the program is.
pub(crate) fn program() -> Done<PathBuf> {
    find().ok_or_else(|| {
        Failure::new(
            code::NOT_FOUND,
            "lookback-sql is neither next to lookback nor in $PATH; in a checkout of lookback,\n  \
             cargo install --locked --path crates/sql\ninstalls it, in some twenty minutes",
        )
    })
}

/// Next to this program, or where a shell finds it.
fn find() -> Option<PathBuf> {
    let own = std::env::current_exe().ok().map(|path| path.with_file_name(PROGRAM));
    own.filter(|path| path.is_file()).or_else(|| locate(OsStr::new(PROGRAM)).ok())
}
