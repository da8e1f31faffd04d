//! The programs and libraries that a list is of.

use crate::failure::{Done, Failure};
use crate::probes::find_file;
use session::{Instance, UsdtPlace};
use std::path::PathBuf;

/// Those that were named, which have to be such ones of this machine; if none was, those that traced
/// processes have mapped.
pub(super) fn chosen(files: &[String], open: impl FnOnce() -> Done<Instance>) -> Done<Vec<PathBuf>> {
    match files {
        [] => Ok(mapped(&open()?)),
        files => files.iter().map(|file| named(file)).collect(),
    }
}

/// The path of a file that was named, which has to be one of this machine.
fn named(file: &str) -> Done<PathBuf> {
    let path = PathBuf::from(find_file(file)?);
    match UsdtPlace::all(&path) {
        Some(_) => Ok(path),
        None => Err(Failure::failed(format_args!("{file}: expected a program or a library for x86-64"))),
    }
}

/// The files that traced processes have mapped.
fn mapped(instance: &Instance) -> Vec<PathBuf> {
    let mut files = instance.session().mapped_files();
    files.sort();
    files.dedup();
    files
}
