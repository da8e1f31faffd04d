//! Why something can't be mounted.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why something can't be mounted, or unmounted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel's device can't be used.
    #[error(
        "/dev/fuse: {error}; FUSE is missing or not allowed here (`modprobe fuse`, or in a container its device)"
    )]
    Device {
        /// What open(2) says.
        error: io::Error,
    },
    /// mount(2) has failed.
    #[error("{}: can't be mounted on: {error}", path.display())]
    Mount {
        /// Where.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// The helper that mounts for users has failed.
    #[error(
        "{}: {reason}; users mount with fusermount3, of the package fuse3; `lookback exec` does without",
        path.display()
    )]
    Helper {
        /// Where.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
    /// Nothing of ours is mounted there.
    #[error("{}: no session is mounted here", path.display())]
    NotMounted {
        /// Where.
        path: PathBuf,
    },
    /// umount(2) has failed.
    #[error("{}: can't be unmounted: {error}{}", path.display(), hint(error))]
    Unmount {
        /// Where.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ResourceBusy => "; a file in it is open, or it is somebody's working directory",
        _ => "",
    }
}

impl Error {
    /// Whether it is about rights, so that another way may have them.
    pub(crate) fn is_denied(&self) -> bool {
        matches!(
            self,
            Error::Device { error } | Error::Mount { error, .. }
                if error.kind() == io::ErrorKind::PermissionDenied
        )
    }
}
