//! `trace_pipe` and `snapshot_pipe`: the events as text, each given once.

use crate::control_file::{ControlFile, Opened};
use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::trace_array::TraceArray;
use reading::layout;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Lock, TraceOption};
use std::sync::Arc;
use trace_data::text::{Layout, Seen, TextWriter};

/// Reads and consumes events: those of a CPU's buffer, or of all; or those of the newest snapshot, at the
/// same time if need be.
///
/// `trace_pipe`: a reader waits for events; after it has read some, and recording is off, that is the end.
/// One reader at a time: of all CPUs, or of each. Source: `tracing_read_pipe` in `kernel/trace/trace.c` of
/// Linux 6.18.
///
/// `snapshot_pipe`: after the end of a snapshot its reader waits for another one. Takes a number: any but 0
/// takes a snapshot, EBUSY where no memory is reserved for it ([`super::snapshot_enabled`]). The file of the
/// patch that brought snapshots to the kernel, seed 000.
#[derive(Clone, Copy)]
pub(crate) struct TracePipe {
    pub(crate) cpu: Option<u32>,
    pub(crate) is_snapshot: bool,
}

pub(super) const LISTED: Listed = Listed {
    name: "trace_pipe",
    help: "the events, each given once; waits for more",
    make: || Arc::new(TracePipe { cpu: None, is_snapshot: false }),
};

pub(super) const SNAPSHOT: Listed = Listed {
    name: "snapshot_pipe",
    help: "the events of the snapshot, each given once; echo 1 takes one",
    make: || Arc::new(TracePipe { cpu: None, is_snapshot: true }),
};

impl ControlFile for TracePipe {
    fn mode(&self) -> u32 {
        if self.is_snapshot { 0o640 } else { 0o440 }
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let instance = array.instance();
        let lock = match self {
            TracePipe { is_snapshot: true, .. } => None,
            TracePipe { cpu: Some(cpu), .. } => Some(instance.lock_cpu_reader(*cpu)),
            TracePipe { cpu: None, .. } => Some(instance.lock_reader()),
        };
        let lock = lock.transpose().map_err(errno)?;
        let (array, text, seen) = (array.clone(), Vec::new(), Seen::default());
        Ok(Box::new(OpenPipe { of: *self, array, _lock: lock, text, seen, has_read: false }))
    }
}

struct OpenPipe {
    of: TracePipe,
    array: TraceArray,
    _lock: Option<Lock>,
    /// What was consumed and not read yet.
    text: Vec<u8>,
    seen: Seen,
    has_read: bool,
}

/// Bytes that an event's text has at least, about: no more are consumed than the reader has space for, as
/// what was consumed and not read goes when the file is closed.
const LINE: usize = 64;

impl Opened for OpenPipe {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if len == 0 {
            return Ok(Some(Vec::new()));
        }
        if self.text.is_empty() {
            self.text = self.next(len)?;
        }
        if self.text.is_empty() {
            return Ok(None);
        }
        self.has_read = true;
        let rest = self.text.split_off(len.min(self.text.len()));
        Ok(Some(std::mem::replace(&mut self.text, rest)))
    }

    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let instance = self.array.instance();
        if !self.of.is_snapshot {
            return Err(Errno::INVAL);
        }
        if number::parse(bytes)? != 0 {
            if !instance.has_snapshot_memory() {
                return Err(Errno::BUSY);
            }
            instance.take_snapshot_for(author, None).map_err(errno)?;
        }
        Ok(bytes.len())
    }

    fn is_readable(&self) -> bool {
        let instance = self.array.instance();
        match self.of {
            TracePipe { is_snapshot: true, .. } => self.has_events(),
            _ if !self.text.is_empty() || instance.option(TraceOption::Block) => true,
            TracePipe { cpu: Some(cpu), .. } => {
                instance.buffer().has_reached(cpu, instance.preferences().buffer_percent)
            }
            _ => self.has_events(),
        }
    }

    fn is_unblocked(&self) -> bool {
        self.has_events() || self.is_at_end()
    }

    /// Something was read, and recording is off.
    fn is_at_end(&self) -> bool {
        self.has_read && self.array.instance().buffer().control().is_off()
    }
}

impl OpenPipe {
    /// The text of events with about `len` bytes, of one at least if there is one.
    fn next(&mut self, len: usize) -> Result<Vec<u8>, Errno> {
        let most = (len / LINE).max(1);
        // In a damaged buffer there are events that can't be taken.
        while let Some(text) = self.text_of(most)? {
            // Events may wait for those after them.
            if !text.is_empty() || !self.has_events() {
                return Ok(text);
            }
        }
        Ok(Vec::new())
    }

    /// The text of the next events, so many at most. None where there are none.
    fn text_of(&mut self, most: usize) -> Result<Option<Vec<u8>>, Errno> {
        let batch = self
            .array
            .read(self.of.is_snapshot, |reader, contents| reader.batch(contents, self.of.cpu, most))?;
        let batch = batch.unwrap_or_default();
        if batch.records.is_empty() {
            return Ok(None);
        }
        let layout = Layout { annotate: false, ..layout(self.array.instance()) };
        let events = self.array.formats();
        let mut writer = TextWriter::new(Vec::new(), &events, &*batch.threads, &*batch.symbols, layout);
        writer.seen = std::mem::take(&mut self.seen).of_next_read();
        for record in &batch.records {
            // Writing to memory does not fail.
            let _ = writer.event(&record.borrowed(), None);
        }
        if !self.has_events() {
            let _ = writer.settle();
        }
        self.seen = std::mem::take(&mut writer.seen);
        Ok(Some(writer.finish().unwrap_or_default()))
    }

    /// Whether a read would get something.
    fn has_events(&self) -> bool {
        let TracePipe { cpu, is_snapshot } = self.of;
        let has_events = || self.array.read(is_snapshot, |reader, contents| reader.has_events(contents, cpu));
        !self.text.is_empty() || has_events() == Ok(Some(true))
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    #[test]
    fn events_are_given_once_and_in_pieces_of_any_size() {
        let (_directory, tree) = tree();
        for number in 0..200 {
            write(&tree, "trace_marker", &format!("number {number}")).unwrap();
        }
        let mut expected = read(&tree, "trace");
        expected =
            expected.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        assert!(pipe.is_unblocked());
        let mut text = Vec::new();
        while let Ok(piece) = pipe.read(1 + text.len() % 97) {
            text.extend(piece);
        }
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        assert_eq!(pipe.read(1), Err(Errno::AGAIN));
        assert!(!pipe.is_unblocked());
        assert!(!read(&tree, "trace").contains("number"));
    }

    #[test]
    fn it_ends_when_something_was_read_and_recording_is_off() {
        let (_directory, tree) = tree();
        let mut pipe = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        write(&tree, "tracing_on", "0").unwrap();
        assert_eq!(pipe.read(100), Err(Errno::AGAIN), "nothing was read");
        write(&tree, "tracing_on", "1").unwrap();
        write(&tree, "trace_marker", "one").unwrap();
        assert!(pipe.read(1000).unwrap().ends_with(b": one\n"));
        assert_eq!(pipe.read(100), Err(Errno::AGAIN));
        write(&tree, "tracing_on", "0").unwrap();
        assert!(pipe.is_unblocked());
        assert_eq!(pipe.read(100).unwrap(), b"");
    }

    #[test]
    fn readers_of_all_and_of_each_exclude_each_other() {
        let (_directory, tree) = tree();
        let open = |path| tree.open(path, OFlags::RDONLY).map(drop);
        let first = tree.open("trace_pipe", OFlags::RDONLY).unwrap();
        assert_eq!([open("trace_pipe"), open("per_cpu/cpu0/trace_pipe")], [Err(Errno::BUSY); 2]);
        assert_eq!([open("trace"), open("per_cpu/cpu0/trace_pipe_raw")], [Ok(()); 2]);
        drop(first);
        let _first = tree.open("per_cpu/cpu0/trace_pipe", OFlags::RDONLY).unwrap();
        assert_eq!([open("trace_pipe"), open("per_cpu/cpu0/trace_pipe")], [Err(Errno::BUSY); 2]);
    }

    #[test]
    fn snapshots_are_read_next_to_the_buffers() {
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
