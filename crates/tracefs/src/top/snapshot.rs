//! `snapshot`: what was kept, while recording goes on.

use crate::control_file::{ControlFile, Opened};
use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::trace_array::TraceArray;
use crate::trace_text::{self, TraceText};
use reading::{Contents, Reader};
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;
use trace_data::text::tracer_lines;

/// Reads the newest snapshot, of a CPU or of all, as `trace` has the buffers; without events in it, whether
/// memory has been taken for one, and what can be written here. Takes a number: 1 takes a snapshot, and the
/// memory for it if need be; 0 frees snapshots and memory, and is EINVAL for one CPU; any other drops
/// snapshots and leaves the memory. ENOMEM where there is none, EBUSY where a snapshot is being read, and
/// while a latency tracer is current.
///
/// Source: `tracing_snapshot_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Default)]
pub(crate) struct SnapshotFile {
    pub(crate) cpu: Option<u32>,
}

pub(super) const LISTED: Listed =
    Listed::of::<SnapshotFile>("snapshot", "the snapshot; echo 1 takes one, 2 clears it, 0 frees it");

impl ControlFile for SnapshotFile {
    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenSnapshot { cpu: self.cpu, array: array.clone(), text: None }))
    }
}

struct OpenSnapshot {
    cpu: Option<u32>,
    array: TraceArray,
    text: Option<TraceText>,
}

impl Opened for OpenSnapshot {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let make = || {
            let copy = |reader: &mut Reader, contents: Contents<'_>| reader.copy(contents, self.cpu, None);
            let records = self.array.read(true, copy)?.transpose().map_err(|_| Errno::IO)?;
            let text = records.map(|records| TraceText::new(&self.array, records));
            let text = text.filter(|text| !text.is_empty());
            Ok(text.unwrap_or_else(|| TraceText::fixed(&self.array, help(&self.array, self.cpu))))
        };
        trace_text::read(&mut self.text, offset, len, make).map(Some)
    }

    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let (instance, number) = (self.array.instance(), number::parse(bytes)?);
        self.array.check_snapshots()?;
        let done = match (number, self.cpu) {
            (0, Some(_)) => return Err(Errno::INVAL),
            (0, None) => instance.free_snapshots().map(drop),
            (1, cpu) => instance.take_snapshot_for(author, cpu).map(drop),
            _ => instance.discard_snapshots().map(drop),
        };
        done.map_err(errno)?;
        Ok(bytes.len())
    }
}

/// What an empty one has.
fn help(array: &TraceArray, cpu: Option<u32>) -> String {
    let state = if array.instance().has_snapshot_memory() { "allocated" } else { "freed" };
    let (zero, one) = match cpu {
        None => ("Frees the snapshot and its memory", "Takes a snapshot, and memory for it if there is none"),
        Some(_) => {
            ("Not for a single CPU", "Takes a snapshot of this CPU, and memory for it if there is none")
        }
    };
    let header = tracer_lines(array.instance().tracer().name);
    format!(
        "{header}#\n# * Snapshot is {state} *\n#\n# Snapshot commands:\n\
         # echo 0 > snapshot : {zero}\n# echo 1 > snapshot : {one}\n\
         # echo 2 > snapshot : Drops the snapshot; its memory stays (as any other number)\n"
    )
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, tree, tree_for, write};
    use rustix::io::Errno;

    fn has(tree: &Tree, path: &str, text: &str) -> bool {
        read(tree, path).contains(text)
    }

    #[test]
    fn what_was_recorded_moves_to_it_and_recording_goes_on() {
        let (_directory, tree) = tree();
        assert!(read(&tree, "snapshot").starts_with("# tracer: nop\n#\n#\n# * Snapshot is freed *\n#\n"));
        write(&tree, "trace_marker", "before").unwrap();
        write(&tree, "snapshot", "1").unwrap();
        write(&tree, "trace_marker", "after").unwrap();
        assert!(has(&tree, "snapshot", ": before\n") && !has(&tree, "snapshot", "after"));
        assert!(has(&tree, "trace", ": after\n") && !has(&tree, "trace", "before"));
        assert!(has(&tree, "snapshot", "# entries-in-buffer/entries-written: 1/1 "));
        write(&tree, "snapshot", "1\n").unwrap();
        assert!(has(&tree, "snapshot", ": after\n"), "the kernel has one, the newest");
        write(&tree, "snapshot", "2").unwrap();
        assert!(has(&tree, "snapshot", "# * Snapshot is allocated *\n"));
        write(&tree, "snapshot", "0").unwrap();
        assert!(has(&tree, "snapshot", "# * Snapshot is freed *\n"));
        write(&tree, "snapshot", "2").unwrap();
        for bad in ["x", "-1", "", "1 2"] {
            assert_eq!(write(&tree, "snapshot", bad), Err(Errno::INVAL), "{bad:?}");
        }
    }

    #[test]
    fn it_is_taken_while_recording_is_off_and_from_either_state() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "kept").unwrap();
        write(&tree, "tracing_on", "0").unwrap();
        write(&tree, "snapshot", "1").unwrap();
        assert_eq!(read(&tree, "tracing_on"), "0\n");
        assert!(has(&tree, "snapshot", ": kept\n"));
        write(&tree, "trace", "").unwrap();
        assert!(has(&tree, "snapshot", ": kept\n"), "clearing the buffer is not for it");
    }

    #[test]
    fn a_cpu_has_its_own() {
        let (_directory, tree) = tree();
        let cpu = {
            write(&tree, "trace_marker", "somewhere").unwrap();
            let cpus = 0..tree.instance().buffer().geometry().cpus;
            cpus.into_iter().find(|cpu| has(&tree, &format!("per_cpu/cpu{cpu}/trace"), "somewhere")).unwrap()
        };
        let path = format!("per_cpu/cpu{cpu}/snapshot");
        assert!(has(&tree, &path, "# * Snapshot is freed *"));
        assert_eq!(write(&tree, &path, "0"), Err(Errno::INVAL));
        write(&tree, &path, "1").unwrap();
        assert!(has(&tree, &path, ": somewhere\n") && has(&tree, "snapshot", ": somewhere\n"));
        assert!(!has(&tree, "trace", "somewhere"));
        write(&tree, &path, "2").unwrap();
        assert!(has(&tree, &path, "# * Snapshot is allocated *"));
    }

    #[test]
    fn without_space_nothing_happens() {
        let (_directory, tree) = tree_for(0, 0);
        write(&tree, "trace_marker", "still here").unwrap();
        assert_eq!(write(&tree, "snapshot", "1"), Err(Errno::NOMEM));
        assert_eq!(write(&tree, "snapshot_enabled", "1"), Err(Errno::NOMEM));
        assert!(has(&tree, "trace", "still here") && has(&tree, "snapshot", "freed"));
    }
}
