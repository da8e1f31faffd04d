//! The kernel's tracefs: where it is, and whether we may use it.

use crate::Error;
use abi::pid_namespace;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where the kernel's tracefs is mounted; on older systems as a part of debugfs.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Where the kernel's tracefs is mounted.
///
/// # Errors
///
/// When there is none, when only others may use it, and where its PIDs are not those that processes see.
pub(crate) fn directory() -> Result<PathBuf, Error> {
    if !rustix::process::geteuid().is_root() {
        return Err(Error::NotRoot);
    }
    let namespace = std::fs::metadata("/proc/self/ns/pid").map(|found| found.ino());
    if namespace.is_ok_and(|inode| inode != pid_namespace::FIRST) {
        return Err(Error::OtherNamespace);
    }
    let places = PLACES.map(Path::new);
    let found = places.into_iter().find(|place| place.join("instances").is_dir()).ok_or(Error::NoTracefs)?;
    Ok(found.to_path_buf())
}
