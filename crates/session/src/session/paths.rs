//! Paths of a session's files.

use crate::Error;
use std::ffi::CString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What is no session yet, or no longer.
pub(crate) const UNFINISHED: &str = "unfinished";
pub(crate) const REMOVED: &str = "removed";

/// A path next to a session's for what is no session yet, or no longer.
pub(crate) fn sibling(path: &Path, state: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{state}-{}", std::process::id()));
    path.with_file_name(name)
}

/// Whether a path is one of those that [`sibling`] makes.
pub(crate) fn is_sibling(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let state = name.rsplit_once('-').filter(|(_, pid)| pid.parse::<u32>().is_ok());
    state.is_some_and(|(rest, _)| {
        [UNFINISHED, REMOVED].iter().any(|state| rest.ends_with(&format!(".{state}")))
    })
}

/// A path as system calls take it.
pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| Error::system(path, ErrorKind::InvalidInput))
}
