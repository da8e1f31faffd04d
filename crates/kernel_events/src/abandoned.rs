//! Instances of processes that are gone.

use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;

/// What the names of our instances start with.
pub(crate) const PREFIX: &str = "lookback-record-";

/// Removes the instances whose processes are gone: nobody has a lock on their directories.
pub(crate) fn remove_abandoned(instances: &Path) {
    let Ok(entries) = std::fs::read_dir(instances) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && let Ok(directory) = File::open(entry.path())
            && flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            remove(&entry.path());
        }
    }
}

/// Removes an instance, and what it costs.
pub(crate) fn remove(instance: &Path) {
    let _ = std::fs::write(instance.join("events/enable"), "0");
    // Somebody who looks at it keeps it.
    let _ = std::fs::remove_dir(instance);
}
