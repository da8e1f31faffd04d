//! `per_cpu/cpuN/trace_pipe_raw` and `snapshot_raw`: the events of a CPU as pages, taken away.

use crate::control_file::{ControlFile, Opened};
use crate::trace_array::TraceArray;
use abi::page::DEFAULT_SIZE;
use rustix::fs::OFlags;
use rustix::io::Errno;
use trace_data::record::{PagePacker, Record};

/// The smallest page that events are put into: a reader with less space gets none.
const SMALLEST: usize = 64;

/// Gives pages of 4096 bytes in the layout that `events/header_page` describes.
///
/// Their times are those of `trace_clock`, not the ticks that the buffer has, and addresses of callers are
/// those of `trace`: a page can be read without knowing this session. It can have any number of readers, of
/// which the first gets a page; it is not excluded by `trace_pipe`.
///
/// Source: `tracing_buffers_read` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TracePipeRaw {
    pub(crate) cpu: u32,
    /// Whether they are those of the newest snapshot.
    pub(crate) is_snapshot: bool,
}

impl ControlFile for TracePipeRaw {
    fn mode(&self) -> u32 {
        0o440
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn is_paged(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        if self.is_snapshot {
            array.check_snapshots()?;
        }
        Ok(Box::new(OpenRaw { of: *self, array: array.clone(), page: Vec::new(), read: 0 }))
    }
}

/// An open one, with the page that is being read.
struct OpenRaw {
    of: TracePipeRaw,
    array: TraceArray,
    page: Vec<u8>,
    read: usize,
}

impl Opened for OpenRaw {
    fn read(&mut self, _offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if len == 0 {
            return Ok(Some(Vec::new()));
        }
        if self.read == self.page.len() {
            match self.next_page(len)? {
                Some(page) if page.len() <= len => return Ok(Some(page)),
                Some(page) => (self.page, self.read) = (page, 0),
                // What is there doesn't fit: the kernel says 0, as at an end.
                None if len < DEFAULT_SIZE && self.is_unblocked() => return Ok(Some(Vec::new())),
                None => return Ok(None),
            }
        }
        let rest = self.page.get(self.read..).unwrap_or_default();
        let part = rest.get(..len).unwrap_or(rest).to_vec();
        self.read += part.len();
        Ok(Some(part))
    }

    fn is_readable(&self) -> bool {
        let percent = self.array.instance().preferences().buffer_percent;
        match self.of {
            TracePipeRaw { is_snapshot: true, .. } => self.is_unblocked(),
            TracePipeRaw { cpu, .. } => self.array.instance().buffer().has_reached(cpu, percent),
        }
    }

    fn is_unblocked(&self) -> bool {
        let (array, cpu) = (&self.array, Some(self.of.cpu));
        array.read(self.of.is_snapshot, |reader, contents| reader.has_events(contents, cpu)) == Ok(Some(true))
    }
}

impl OpenRaw {
    /// A page with the events that come next, in its first `len` bytes. None where there are none that fit.
    fn next_page(&self, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let size = len.min(DEFAULT_SIZE) / 8 * 8;
        if size < SMALLEST {
            return Ok(None);
        }
        let mut packer = PagePacker::new(size);
        let push = |record: &Record<'_>| packer.push(record);
        let (array, cpu) = (&self.array, Some(self.of.cpu));
        array.read(self.of.is_snapshot, |reader, contents| reader.take(contents, cpu, push))?;
        Ok(packer.finish().map(|page| {
            let mut page = page.to_vec();
            page.resize(DEFAULT_SIZE, 0);
            page
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use crate::top::tests::tree;
    use abi::page::event_size;
    use events::ftrace::PRINT_ID;
    use session::Author;
    use trace_data::page::Page;

    /// A raw pipe of CPU 0, with so many texts in its buffer.
    fn opened(tree: &Tree, texts: usize) -> crate::Handle {
        let mut marker = tree.open("trace_marker", OFlags::WRONLY).unwrap();
        for number in 0..texts {
            let author = Author { cpu: Some(0), ..Author::current() };
            marker.write(author, format!("text {number}").as_bytes()).unwrap();
        }
        tree.open("per_cpu/cpu0/trace_pipe_raw", OFlags::RDONLY).unwrap()
    }

    #[test]
    fn a_page_is_given_once_and_whole() {
        let (_directory, tree) = tree();
        let mut raw = opened(&tree, 3);
        assert_eq!(raw.read(0).unwrap(), b"");
        assert_eq!(raw.read(16).unwrap(), b"", "no page fits, as in the kernel");
        let page = raw.read(1 << 20).unwrap();
        assert_eq!(page.len(), 4096);
        let found = Page::new(&page).unwrap();
        let ids: Vec<u16> =
            found.events().map(|event| u16::from_le_bytes([event.payload[0], event.payload[1]])).collect();
        assert_eq!(ids, [PRINT_ID; 3]);
        assert_eq!(raw.read(4096), Err(Errno::AGAIN));
        assert_eq!(raw.seek(0), Err(Errno::SPIPE));
    }

    #[test]
    fn pages_are_full() {
        let (_directory, tree) = tree();
        let mut raw = opened(&tree, 1000);
        let (page, next) = (raw.read(4096).unwrap(), raw.read(4096).unwrap());
        let [page, next] = [&page, &next].map(|page| Page::new(page).unwrap());
        let first = next.events().next().unwrap();
        assert!(page.data.len() + event_size(first.payload.len()) > 4080, "what is in the next doesn't fit");
    }

    #[test]
    fn a_snapshot_is_given_as_pages_too() {
        let (_directory, tree) = tree();
        let mut live = opened(&tree, 3);
        let mut kept = tree.open("per_cpu/cpu0/snapshot_raw", OFlags::RDONLY).unwrap();
        assert_eq!(kept.read(4096), Err(Errno::AGAIN));
        assert!(!kept.is_readable());
        tree.instance().take_snapshot().unwrap();
        assert!(kept.is_readable());
        assert_eq!(live.read(4096), Err(Errno::AGAIN));
        assert_eq!(Page::new(&kept.read(4096).unwrap()).unwrap().events().count(), 3);
        assert_eq!(kept.read(4096), Err(Errno::AGAIN));
    }

    #[test]
    fn short_reads_go_on_in_the_same_page() {
        let (_directory, tree) = tree();
        let mut raw = opened(&tree, 200);
        let (first, rest) = (raw.read(1000).unwrap(), raw.read(4096).unwrap());
        assert_eq!((first.len(), rest.len()), (1000, 3096));
        assert!(Page::new(&first).unwrap().data.len() <= 984, "only what fits the first read");
        assert!(rest.iter().all(|byte| *byte == 0));
        let mut events = Page::new(&first).unwrap().events().count();
        while let Ok(page) = raw.read(4096) {
            events += Page::new(&page).unwrap().events().count();
        }
        assert_eq!(events, 200);
    }

    #[test]
    fn poll_waits_for_the_fill_level() {
        let (_directory, tree) = tree();
        let raw = opened(&tree, 1);
        assert!(raw.is_unblocked() && !raw.is_readable());
        tree.instance().prefer(|preferred| preferred.buffer_percent = 0).unwrap();
        assert!(raw.is_readable());
    }
}
