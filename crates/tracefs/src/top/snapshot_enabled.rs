//! `snapshot_enabled`: whether there is memory for a snapshot.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. Takes a number: 0 frees snapshots and their memory; any other reserves the memory, so that
/// the first snapshot is as quick as all. ENOMEM where there is none, and all is as it was.
///
/// The file of the patch that brought snapshots to the kernel, seed 000; `snapshot` has taken its place.
#[derive(Clone, Default)]
struct SnapshotEnabled;

pub(super) const LISTED: Listed =
    Listed::of::<SnapshotEnabled>("snapshot_enabled", "1 takes memory for a snapshot, 0 gives it back");

impl TextFile for SnapshotEnabled {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(if array.instance().has_snapshot_memory() { "1\n".to_string() } else { "0\n".to_string() })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let number = number::parse(bytes)?;
        array.check_snapshots()?;
        let done = match number {
            0 => array.instance().free_snapshots().map(drop),
            _ => array.instance().reserve_snapshot(),
        };
        done.map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn memory_comes_and_goes() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, "snapshot_enabled"), "0\n");
        write(&tree, "snapshot_enabled", "7").unwrap();
        assert_eq!(read(&tree, "snapshot_enabled"), "1\n");
        assert!(read(&tree, "snapshot").contains("# * Snapshot is allocated *\n"));
        write(&tree, "snapshot_enabled", "0").unwrap();
        assert_eq!(read(&tree, "snapshot_enabled"), "0\n");
        assert_eq!(write(&tree, "snapshot_enabled", "no"), Err(Errno::INVAL));
    }
}
