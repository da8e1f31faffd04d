//! Which files a process sees: one in a container, or in another root directory, has others at their paths.

use super::named::NamedProcess;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The root directory of a process, as it is seen from here.
fn root(process: &NamedProcess) -> PathBuf {
    PathBuf::from(format!("/proc/{}/root", process.pid))
}

/// The first of these files that a process doesn't see at its path.
pub(super) fn not_seen(process: &NamedProcess, files: [&Path; 2]) -> Option<PathBuf> {
    let root = root(process);
    files.into_iter().find_map(|path| {
        let absolute = std::path::absolute(path).ok()?;
        let there = root.join(absolute.strip_prefix("/").ok()?);
        let [here, there] =
            [path, &there].map(|path| path.metadata().ok().map(|found| (found.dev(), found.ino())));
        (here != there).then_some(absolute)
    })
}

/// Whether a process finds its descriptors at their paths: what it is handed.
pub(super) fn sees_descriptors(process: &NamedProcess) -> bool {
    root(process).join(format!("proc/{}/fd", process.pid)).is_dir()
}
