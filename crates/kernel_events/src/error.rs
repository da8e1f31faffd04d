//! Why the kernel's events can't be had.

use std::io;
use std::path::{Path, PathBuf};

/// Why the kernel's events can't be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel's threads have other ids than those that processes here see.
    #[error("this is not the machine's own pid namespace: the kernel's events have other PIDs")]
    OtherNamespace,
    /// Who is not root may use no tracefs.
    #[error("only root may use the kernel's tracefs")]
    NotRoot,
    /// perf's records.
    #[error("perf_event_open: {0} (see /proc/sys/kernel/perf_event_paranoid; some containers allow no perf)")]
    Perf(io::Error),
    /// No tracefs is mounted, or it has no instances.
    #[error("no tracefs at /sys/kernel/tracing: expected `mount -t tracefs none /sys/kernel/tracing`")]
    NoTracefs,
    /// A session whose clock counts no time.
    #[error("the clock counter counts no time: expected a recording with another (-C)")]
    NoTime,
    /// A file of the kernel's tracefs.
    #[error("{path}: {error}")]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
    /// A filter that the kernel refuses.
    #[error("the filter for {event}:\n{text}")]
    Filter {
        /// The event.
        event: String,
        /// The filter, where it is wrong, and why, as the kernel says it.
        text: String,
    },
    /// An event has other fields on this kernel.
    #[error("{event} of this kernel has no field {field} of {size} bytes")]
    Field {
        /// The event.
        event: &'static str,
        /// The field.
        field: &'static str,
        /// Bytes of it.
        size: usize,
    },
}

impl Error {
    /// Of a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::File { path, error }
    }
}
