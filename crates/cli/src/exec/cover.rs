//! Laying a session over the system's tracefs, in a mount namespace of our own.

use crate::failure::{Done, Failure};
use rustix::fs::{Mode, OFlags};
use rustix::mount::mount_bind;
use session::Instance;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tracefs::Tree;
use tracefs_fuse::{Mount, MountOptions, Server};

/// What this process has mounted where.
const MOUNTS: &str = "/proc/self/mounts";

/// Where clients look.
const TRACEFS: &str = "/sys/kernel/tracing";
const DEBUGFS: &str = "/sys/kernel/debug/tracing";

/// The kernel's files of `/proc` that belong to its tracefs, and what lies over them.
const PROC_FILES: &[(&str, &str)] = &[
    ("/proc/kallsyms", "kallsyms"),
    ("/proc/sys/kernel/ftrace_enabled", "ftrace_enabled"),
    ("/proc/sys/kernel/kptr_restrict", "kptr_restrict"),
];

/// Where the control tree is.
pub(super) struct Cover {
    pub(super) place: PathBuf,
    /// Whether the directory was made for it.
    is_own: bool,
}

impl Drop for Cover {
    fn drop(&mut self) {
        if self.is_own {
            // Two, or fewer where something has failed. What is not empty then is not removed.
            while tracefs_fuse::detach(&self.place).is_ok() {}
            let _ = std::fs::remove_dir(&self.place);
        }
    }
}

/// Lays the control tree over the kernel's.
///
/// Where the kernel has none the tree is somewhere else; clients find it by the table of mounts.
pub(super) fn cover(session: Instance) -> Done<Cover> {
    let mounts = std::fs::read_to_string(MOUNTS).map_err(|error| {
        Failure::failed(format_args!("{MOUNTS}: {error}; /proc has to be mounted, clients look there"))
    })?;
    let tree = Tree::new(session);
    let known = [TRACEFS, DEBUGFS].into_iter().find(|path| Path::new(path).is_dir());
    let place = known.map_or_else(new_directory, |path| Ok(PathBuf::from(path)))?;
    let cover = Cover { place: place.clone(), is_own: known.is_none() };
    cover_proc(&tree, &place)?;
    // Over the mount whose files lie where they should now.
    serve(Server::new(tree, mount(&place)?).leaving_readers_out());
    if known == Some(TRACEFS) && Path::new(DEBUGFS).is_dir() {
        bind(&place, Path::new(DEBUGFS))?;
    }
    name_tracefs(&place, mounts)?;
    Ok(cover)
}

fn new_directory() -> Done<PathBuf> {
    let made = tempfile::Builder::new().prefix("lookback-tracing-").tempdir();
    // Not to be removed with all that is in it: that is a control tree.
    made.map(TempDir::keep).map_err(Failure::failed)
}

fn mount(place: &Path) -> Done<Mount> {
    Ok(Mount::without_helper(place, &MountOptions::default())?)
}

/// Serves for as long as this process lives.
fn serve(server: Server) {
    // It ends with this process, and has nobody to report to that anything failed.
    std::thread::spawn(|| server.run());
}

fn cover_proc(tree: &Tree, place: &Path) -> Done<()> {
    serve(Server::new(tree.proc_files(), mount(place)?));
    for (path, name) in PROC_FILES.iter().filter(|(path, _)| Path::new(path).exists()) {
        bind(&place.join(name), Path::new(path))?;
    }
    Ok(())
}

fn bind(from: &Path, to: &Path) -> Done<()> {
    mount_bind(from, to)
        .map_err(|error| Failure::failed(format_args!("{}: can't be covered: {error}", to.display())))
}

/// Lays a table of mounts over `mounts`, the system's, in which the tree is the first tracefs, if it isn't:
/// libtracefs takes the first.
fn name_tracefs(place: &Path, mounts: String) -> Done<()> {
    let mut tracefs = mounts.lines().filter(|line| line.split(' ').nth(2) == Some("tracefs"));
    if tracefs.next().is_some_and(|line| line.split(' ').nth(1).map(Path::new) == Some(place)) {
        return Ok(());
    }
    let named = tempfile::NamedTempFile::new().map_err(Failure::failed)?;
    let line = format!("tracefs {} tracefs rw,nosuid,nodev,noexec,relatime 0 0\n", place.display());
    std::fs::write(named.path(), line + &mounts).map_err(Failure::failed)?;
    // The link itself, not the table of this process that it leads to: of all processes.
    let link = rustix::fs::open("/proc/mounts", OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())
        .map_err(|error| Failure::failed(format_args!("/proc/mounts: {error}")))?;
    bind(named.path(), &PathBuf::from(format!("/proc/self/fd/{}", link.as_raw_fd())))
}
