//! `trace`: the events that are there, as text.

use crate::control_file::{Change, ControlFile, Opened, is_truncating};
use crate::errno::errno;
use crate::listed::Listed;
use crate::pause::Pause;
use crate::trace_array::TraceArray;
use crate::trace_text::{self, TraceText};
use reading::Contents;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;
use trace_data::text::tracer_lines;

/// Reads the events of a CPU, or of all, and leaves them where they are: those that are there when it is read
/// from its start. Opening it for writing with `O_TRUNC` clears them; what is written is not looked at. While
/// a latency tracer is current it has the trace that this has kept, and clears that.
///
/// Source: `tracing_open` and `s_show` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) cpu: Option<u32>,
}

pub(super) const LISTED: Listed =
    Listed::of::<Trace>("trace", "the events that are there; echo > trace clears them");

impl ControlFile for Trace {
    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_truncation()
    }

    fn open(&self, array: &TraceArray, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        let is_kept = array.instance().tracer().measures_latency();
        if is_truncating(flags) && is_kept {
            array.instance().drop_longest_section().map_err(errno)?;
        } else if is_truncating(flags) {
            match self.cpu {
                Some(cpu) => {
                    array.instance().buffer().clear_block(cpu);
                    array.instance().forget_past();
                }
                None => array.instance().buffer().clear(),
            }
            array.reader().forget(self.cpu);
        }
        let pause = Pause::if_wanted(array);
        Ok(Box::new(OpenTrace { cpu: self.cpu, array: array.clone(), text: None, _pause: pause }))
    }
}

struct OpenTrace {
    cpu: Option<u32>,
    array: TraceArray,
    text: Option<TraceText>,
    _pause: Option<Pause>,
}

impl Opened for OpenTrace {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if self.array.instance().tracer().measures_latency() {
            let make = || longest(&self.array, self.cpu);
            return trace_text::read(&mut self.text, offset, len, make).map(Some);
        }
        let make = || {
            let records = self.array.reader().copy(Contents::Live, self.cpu, None);
            Ok(TraceText::new(&self.array, records.map_err(|_| Errno::IO)?))
        };
        trace_text::read(&mut self.text, offset, len, make).map(Some)
    }

    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        Ok(bytes.len())
    }
}

/// The trace of the longest section that a latency tracer has measured.
fn longest(array: &TraceArray, cpu: Option<u32>) -> Result<TraceText, Errno> {
    let longest = array.reader().copy_longest(cpu).map_err(errno)?;
    let text = longest.map(|longest| TraceText::of_longest(array, longest)).filter(|text| !text.is_empty());
    Ok(text.unwrap_or_else(|| TraceText::fixed(array, tracer_lines(array.instance().tracer().name))))
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use session::Author;

    #[test]
    fn it_is_the_same_in_pieces_of_any_size() {
        let (_directory, tree) = tree();
        for number in 0..1000 {
            write(&tree, "trace_marker", &format!("number {number}")).unwrap();
        }
        let whole = read(&tree, "trace");
        assert_eq!(whole.lines().filter(|line| line.contains(": number ")).count(), 1000);
        assert!(whole.starts_with("# tracer: nop\n#\n# entries-in-buffer/entries-written: 1000/1000   #P:"));
        let mut file = tree.open("trace", OFlags::RDONLY).unwrap();
        let (mut pieces, mut size) = (Vec::new(), 1);
        loop {
            let piece = file.read(size).unwrap();
            if piece.is_empty() {
                break;
            }
            pieces.extend(piece);
            size = size * 7 % 1021;
        }
        assert_eq!(String::from_utf8(pieces).unwrap(), whole);
        assert_eq!(file.read_at(100, 50).unwrap(), &whole.as_bytes()[100..150], "back");
        assert_eq!(file.read_at(70_000, 50).unwrap(), &whole.as_bytes()[70_000..70_050], "and forth");
        assert_eq!(file.read_at(1 << 40, 50).unwrap(), b"");
    }

    #[test]
    fn only_opening_with_truncation_clears() {
        let (_directory, tree) = tree();
        let lines = |tree| read(tree, "trace").lines().filter(|line| !line.starts_with('#')).count();
        write(&tree, "trace_marker", "one").unwrap();
        let mut file = tree.open("trace", OFlags::RDWR | OFlags::APPEND).unwrap();
        assert_eq!(file.write(Author::current(), b"anything"), Ok(8));
        tree.open("trace", OFlags::RDONLY | OFlags::TRUNC).unwrap();
        assert_eq!(lines(&tree), 1);
        tree.open("trace", OFlags::RDWR | OFlags::TRUNC).unwrap();
        assert_eq!(lines(&tree), 0);
    }

    #[test]
    fn a_cpu_has_its_own() {
        let (_directory, tree) = tree();
        let mut marker = tree.open("trace_marker", OFlags::WRONLY).unwrap();
        let cpus = tree.instance().buffer().geometry().cpus;
        let usable = |cpu: &u32| tree.instance().buffer().capacity(*cpu) > 0;
        for cpu in (0..cpus).filter(usable) {
            let author = Author { cpu: Some(cpu), ..Author::current() };
            marker.write(author, format!("on {cpu}").as_bytes()).unwrap();
        }
        for cpu in (0..cpus).filter(usable) {
            let text = read(&tree, &format!("per_cpu/cpu{cpu}/trace"));
            assert!(text.ends_with(&format!(": on {cpu}\n")) && text.matches(": on ").count() == 1, "{text}");
        }
        tree.open("per_cpu/cpu0/trace", OFlags::WRONLY | OFlags::TRUNC).unwrap();
        assert!(!read(&tree, "trace").contains(": on 0\n"));
        assert!(cpus == 1 || read(&tree, "trace").contains(": on "));
    }
}
