//! `snapshot_pipe`: the events of snapshots, each given once.

use crate::control_file::{ControlFile, Opened};
use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::pipe_text::PipeText;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;
use std::sync::Arc;

/// Reads the events of the newest snapshot as `trace_pipe` reads those of the buffers, at the same time if
/// need be, and takes them away; then it waits for another snapshot. Takes a number: any but 0 takes a
/// snapshot, EBUSY where there is no memory for it ([`super::snapshot_enabled`]).
///
/// The file of the patch that brought snapshots to the kernel, seed 000.
struct SnapshotPipe;

pub(super) const LISTED: Listed = Listed {
    name: "snapshot_pipe",
    help: "the events of the snapshot, each given once; echo 1 takes one",
    make: || Arc::new(SnapshotPipe),
};

impl ControlFile for SnapshotPipe {
    fn mode(&self) -> u32 {
        0o640
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenSnapshotPipe { array: array.clone(), text: PipeText::new(array, None, true) }))
    }
}

/// An open one, with what was consumed and not read yet.
struct OpenSnapshotPipe {
    array: TraceArray,
    text: PipeText,
}

impl Opened for OpenSnapshotPipe {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        self.text.read(len)
    }

    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let instance = self.array.instance();
        if number::parse(bytes)? != 0 {
            if !instance.has_snapshot_memory() {
                return Err(Errno::BUSY);
            }
            instance.take_snapshot().map_err(errno)?;
        }
        Ok(bytes.len())
    }

    fn is_readable(&self) -> bool {
        self.text.has_events()
    }

    fn is_unblocked(&self) -> bool {
        self.is_readable() || self.is_at_end()
    }

    fn is_at_end(&self) -> bool {
        self.text.is_at_end()
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    #[test]
    fn snapshots_are_read_beside_the_buffers() {
        let (_directory, tree) = tree();
        assert_eq!(write(&tree, "snapshot_pipe", "1"), Err(Errno::BUSY));
        write(&tree, "snapshot_enabled", "1").unwrap();
        let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        let mut kept = tree.open("snapshot_pipe", OFlags::RDWR).unwrap();
        assert_eq!(kept.read(100), Err(Errno::AGAIN));
        for number in 0..200 {
            write(&tree, "trace_marker", &format!("number {number}")).unwrap();
        }
        write(&tree, "snapshot_pipe", "1").unwrap();
        write(&tree, "trace_marker", "later").unwrap();
        assert!(kept.is_readable());
        let mut text = Vec::new();
        while let Ok(piece) = kept.read(1 + text.len() % 97) {
            text.extend(piece);
        }
        let text = String::from_utf8(text).unwrap();
        let numbers: Vec<&str> = text.lines().filter_map(|line| line.split(": number ").nth(1)).collect();
        assert_eq!(numbers, (0..200).map(|number| number.to_string()).collect::<Vec<_>>());
        assert!(!kept.is_readable() && read(&tree, "snapshot").contains("allocated"), "taken away");
        assert!(pipe.read(1000).unwrap().ends_with(b": later\n"));
        write(&tree, "snapshot_pipe", "0").unwrap();
        assert_eq!(kept.read(100), Err(Errno::AGAIN), "nothing was taken");
        write(&tree, "tracing_on", "0").unwrap();
        assert_eq!(kept.read(100).unwrap(), b"", "nothing will come");
    }

    #[test]
    fn what_a_pipe_has_begun_with_outlasts_a_snapshot() {
        let (_directory, tree) = tree();
        for number in 0..50 {
            write(&tree, "trace_marker", &format!("number {number}")).unwrap();
        }
        let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        let mut text = pipe.read(300).unwrap();
        write(&tree, "snapshot", "1").unwrap();
        while let Ok(piece) = pipe.read(4096) {
            text.extend(piece);
        }
        let all = String::from_utf8(text).unwrap() + &read(&tree, "snapshot");
        assert_eq!(all.matches(": number ").count(), 50);
    }
}
