//! Which files a process sees: one in a container, or in another root directory, has others at their paths.

use super::named::NamedProcess;
use session::OwnPid;
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

/// Whether a process finds its descriptors at their paths: what it is handed. Its /proc may be that of its
/// own pid namespace, or of one above that.
pub(super) fn sees_descriptors(process: &NamedProcess) -> bool {
    let own = OwnPid::of(process.pid).map(|own| own.pid);
    let root = root(process);
    own.into_iter().chain([process.pid]).any(|pid| root.join(format!("proc/{pid}/fd")).is_dir())
}
