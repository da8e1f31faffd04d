//! `trace_pipe`: the events as text, each given once.

use crate::control_file::{ControlFile, Opened};
use crate::errno::errno;
use crate::listed::Listed;
use crate::pipe_text::PipeText;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Lock, TraceOption};
use std::sync::Arc;

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
    make: || Arc::new(TracePipe { cpu: None }),
};

impl ControlFile for TracePipe {
    fn mode(&self) -> u32 {
        0o440
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let instance = array.instance();
        let lock = match self.cpu {
            Some(cpu) => instance.lock_cpu_reader(cpu),
            None => instance.lock_reader(),
        };
        let lock = lock.map_err(errno)?;
        Ok(Box::new(OpenPipe {
            cpu: self.cpu,
            array: array.clone(),
            _lock: lock,
            text: PipeText::new(array, self.cpu, false),
        }))
    }
}

/// An open one, with what was consumed and not read yet.
struct OpenPipe {
    cpu: Option<u32>,
    array: TraceArray,
    _lock: Lock,
    text: PipeText,
}

impl Opened for OpenPipe {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        self.text.read(len)
    }

    fn is_readable(&self) -> bool {
        let instance = self.array.instance();
        self.text.has_text()
            || instance.option(TraceOption::Block)
            || match self.cpu {
                Some(cpu) => instance.buffer().has_reached(cpu, instance.preferences().buffer_percent),
                None => self.text.has_events(),
            }
    }

    fn is_unblocked(&self) -> bool {
        self.text.has_events() || self.is_at_end()
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
