//! `snapshot_on`: which errors of programs take snapshots.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::ErrorList;

/// Reads and takes names with commas between them, or `none`: those of `lookback start --snapshot-on`. Of the
/// session's default instance, wherever the top level is. EINVAL for others, ENOMEM without memory for a
/// snapshot, and all is as it was.
#[derive(Clone, Default)]
struct SnapshotOn;

pub(super) const LISTED: Listed = Listed::of::<SnapshotOn>(
    "snapshot_on",
    "the errors of programs that take snapshots, with commas; or none",
);

impl TextFile for SnapshotOn {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", ErrorList(array.instance().errors())))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let text = std::str::from_utf8(bytes).map_err(|_| Errno::INVAL)?;
        let ErrorList(errors) = text.trim().parse().map_err(|_| Errno::INVAL)?;
        array.instance().set_errors(errors).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree_for, write};
    use rustix::io::Errno;

    const FILE: &str = "snapshot_on";

    #[test]
    fn it_is_read_as_it_was_written() {
        let (_directory, tree) = tree_for(1, 2);
        assert_eq!(read(&tree, FILE), "none\n");
        write(&tree, FILE, "signal,exit\n").unwrap();
        assert_eq!(
            (read(&tree, FILE).as_str(), read(&tree, "snapshot_enabled").as_str()),
            ("signal,exit\n", "1\n")
        );
        for bad in ["", "segv", "signal,,exit", "1"] {
            assert_eq!(write(&tree, FILE, bad), Err(Errno::INVAL), "{bad}");
        }
        write(&tree, "trace", "").unwrap();
        assert!(tree.instance().session().has_top(), "the top level is another instance");
        assert_eq!(read(&tree, FILE), "signal,exit\n");
        write(&tree, FILE, "none").unwrap();
        assert_eq!(read(&tree, FILE), "none\n");
    }

    #[test]
    fn memory_is_the_recordings_wherever_the_top_level_is() {
        let (_directory, tree) = tree_for(1, 2);
        write(&tree, "trace", "").unwrap();
        write(&tree, FILE, "panic").unwrap();
        let enabled = ["snapshot_enabled", "instances/flight/snapshot_enabled"].map(|file| read(&tree, file));
        assert_eq!(enabled, ["0\n", "1\n"]);
    }

    #[test]
    fn without_space_nothing_changes() {
        let (_directory, tree) = tree_for(0, 0);
        assert_eq!(write(&tree, FILE, "signal"), Err(Errno::NOMEM));
        assert_eq!(read(&tree, FILE), "none\n");
        assert!(tree.find("instances/flight/snapshot_on").is_err(), "it is the session's");
    }
}
