//! Paths of a session's files.

use crate::Error;
use std::ffi::CString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A path next to a session's for what is no session yet, or no longer.
pub(crate) fn sibling(path: &Path, state: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{state}-{}", std::process::id()));
    path.with_file_name(name)
}

/// A path as system calls take it.
pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| Error::system(path, ErrorKind::InvalidInput))
}
