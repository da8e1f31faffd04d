//! `trace_pipe`: the events as text, each given once.

use crate::errno::errno;
use crate::file::{File, Opened};
use crate::listed::Listed;
use crate::text::{self, Names};
use crate::tree::Tree;
use recording::Reader;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Lock, TraceOption};
use trace_data::record::{OwnedRecord, Record};
use trace_data::text::{Layout, Seen, TextWriter};

/// Reads the events of a CPU, or of all, and takes them away. A reader waits where there are none; after it
/// has read some, and recording is off, that is the end. One reader at a time: of all CPUs, or of each.
///
/// Source: `tracing_read_pipe` in `kernel/trace/trace.c` of Linux 6.18.
pub(crate) struct TracePipe {
    pub(crate) cpu: Option<u32>,
}

pub(super) const LISTED: Listed = Listed {
    name: "trace_pipe",
    help: "the events, each given once; waits for more",
    make: || Box::new(TracePipe { cpu: None }),
};

impl File for TracePipe {
    fn mode(&self) -> u32 {
        0o440
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, tree: &Tree, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let session = tree.session();
        let lock = match self.cpu {
            Some(cpu) => session.lock_cpu_reader(cpu),
            None => session.lock_reader(),
        };
        let lock = lock.map_err(|error| errno(&error))?;
        let (tree, text) = (tree.clone(), Vec::new());
        Ok(Box::new(Open { cpu: self.cpu, tree, _lock: lock, text, has_read: false }))
    }
}

/// An open one, with what was taken and not read yet.
struct Open {
    cpu: Option<u32>,
    tree: Tree,
    _lock: Lock,
    text: Vec<u8>,
    has_read: bool,
}

/// Bytes that an event's text has at least, about: no more are taken than the reader has room for, as what
/// was taken and not read goes when the file is closed.
const LINE: usize = 64;

impl Opened for Open {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if len == 0 {
            return Ok(Some(Vec::new()));
        }
        if self.text.is_empty() {
            self.text = text_of_taken(&self.tree, len, |reader, take| reader.take(self.cpu, take));
        }
        if self.text.is_empty() {
            return Ok(None);
        }
        self.has_read = true;
        let rest = self.text.split_off(len.min(self.text.len()));
        Ok(Some(std::mem::replace(&mut self.text, rest)))
    }

    fn is_readable(&self) -> bool {
        let session = self.tree.session();
        !self.text.is_empty()
            || session.option(TraceOption::Block)
            || match self.cpu {
                Some(cpu) => session.buffer().has_reached(cpu, session.preferences().buffer_percent),
                None => self.tree.reader().has_events(None),
            }
    }

    fn is_unblocked(&self) -> bool {
        !self.text.is_empty() || self.tree.reader().has_events(self.cpu) || self.is_at_end()
    }

    fn is_at_end(&self) -> bool {
        self.has_read && self.tree.session().buffer().control().is_off()
    }
}

/// The text of about `len` bytes of the events that `take` takes, one at least if there is one.
pub(super) fn text_of_taken(
    tree: &Tree,
    len: usize,
    take: impl FnOnce(&mut Reader, &mut dyn FnMut(&Record<'_>) -> bool),
) -> Vec<u8> {
    let mut taken: Vec<OwnedRecord> = Vec::new();
    let mut reader = tree.reader();
    take(&mut reader, &mut |record| {
        let has_room = taken.len() < (len / LINE).max(1);
        if has_room {
            taken.push(record.to_owned());
        }
        has_room
    });
    if taken.is_empty() {
        return Vec::new();
    }
    let symbols = reader.symbols();
    drop(reader);
    let names = Names::of(tree);
    let layout = Layout { annotate: false, ..text::layout(tree.session()) };
    let events = tree.formats();
    let writer = TextWriter::new(Vec::new(), &events, &names, &symbols, layout);
    let mut writer = writer.with_seen(Seen::of_pipe());
    for record in &taken {
        // Writing to memory does not fail.
        let _ = writer.event(&record.borrowed());
    }
    writer.finish().unwrap_or_default()
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
}
