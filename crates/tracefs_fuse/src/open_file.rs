//! An open file.

use crate::pages::ServedPages;
use crate::splicing::{Splicing, is_cached};
use polyfuse_kernel::fuse_read_in;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracefs::{FileNode, Handle};

/// How long events wait at most until poll(2) reports them, where they don't fill the buffer as far as
/// `buffer_percent` asks for: a reader of a quiet session sees its events all the same.
const OLDEST: Duration = Duration::from_millis(500);

/// How lately somebody must have asked for events to be taken for a reader who goes on.
const LATELY: Duration = Duration::from_secs(1);

/// What a reader of a file waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Events, as pages.
    Pages,
    /// Events, as text.
    Pipe,
    /// Nothing: events are written to it.
    Marker,
    /// Nothing: it can always be read.
    Other,
}

impl FileKind {
    /// That of a file.
    pub(crate) fn of(file: &FileNode) -> FileKind {
        match file.is_stream() {
            true if file.is_paged() => FileKind::Pages,
            true if file.mode() & 0o444 != 0 => FileKind::Pipe,
            true => FileKind::Marker,
            false => FileKind::Other,
        }
    }
}

/// An open file.
pub(crate) struct OpenFile {
    /// What it is.
    pub(crate) kind: FileKind,
    /// The file as the tree has it.
    pub(crate) handle: Handle,
    /// Its path.
    pub(crate) path: Arc<str>,
    /// What it has in the page cache, where it gives pages.
    pub(crate) pages: Option<ServedPages>,
    /// How it comes to be spliced, where it gives text.
    pub(crate) splicing: Option<Splicing>,
    /// The size that the kernel must get again when it is closed: `O_TRUNC` has made it 0, or a short read
    /// through the page cache, as of sendfile(2), that of the text.
    pub(crate) lost_size: u64,
    /// What it is read as, where that is kept.
    pub(crate) text: Option<Arc<Vec<u8>>>,
    /// What the kernel calls it, if it wants a notification when it can be read.
    pub(crate) waker: Option<u64>,
    /// Since when there is something to read, as far as anybody has looked.
    unread_since: Option<Instant>,
    /// Whether poll(2) reports all events, however few.
    reports_all: bool,
    /// The thread that has asked for something last, or has opened it, and when.
    asked: (u32, Instant),
}

impl OpenFile {
    /// One that was opened just now.
    pub(crate) fn new(
        kind: FileKind,
        handle: Handle,
        path: Arc<str>,
        pages: Option<ServedPages>,
    ) -> OpenFile {
        OpenFile {
            kind,
            handle,
            path,
            pages,
            splicing: None,
            lost_size: 0,
            text: None,
            waker: None,
            unread_since: None,
            reports_all: false,
            asked: (0, Instant::now()),
        }
    }

    /// Notes that a thread has opened it, or asks for events.
    pub(crate) fn note(&mut self, thread: u32) {
        self.asked = (thread, Instant::now());
    }

    /// Whether another thread than this waits for events, or seems to be about to.
    pub(crate) fn is_read_next_to(&self, thread: u32) -> bool {
        let (reader, time) = self.asked;
        reader != thread && (self.waker.is_some() || time.elapsed() < LATELY)
    }

    /// Reads, with the flags that the file has now. None when its reader has to wait.
    pub(crate) fn read(&mut self, wanted: &fuse_read_in) -> Result<Option<Vec<u8>>, Errno> {
        let (offset, size) = (wanted.offset, wanted.size as usize);
        let is_nonblocking = OFlags::from_bits_retain(wanted.flags).contains(OFlags::NONBLOCK);
        self.handle.set_nonblocking(is_nonblocking);
        self.unread_since = None;
        let read = match &mut self.pages {
            Some(pages) => pages.read(&mut self.handle, offset, size),
            None => self.handle.read_at(offset, size),
        };
        let read = match (read, &mut self.splicing) {
            // As in the kernel: splice(2) sees no end of the file, only read(2) does.
            (Ok(bytes), Some(splicing)) if bytes.is_empty() && splicing.has_begun() => Err(Errno::AGAIN),
            (Ok(bytes), Some(splicing)) if is_cached(wanted) => {
                splicing.give(bytes.len());
                Ok(bytes)
            }
            (read, _) => read,
        };
        match read {
            Err(Errno::AGAIN) if !is_nonblocking => Ok(None),
            read => read.map(Some),
        }
    }

    /// Whether poll(2) says that it can be read.
    pub(crate) fn is_readable(&mut self) -> bool {
        if self.is_pushed() || self.handle.is_readable() {
            return true;
        }
        if !self.handle.is_unblocked() {
            (self.unread_since, self.reports_all) = (None, false);
            return false;
        }
        self.reports_all || self.unread_since.get_or_insert_with(Instant::now).elapsed() >= OLDEST
    }

    /// Has poll(2) tell of all that there is, if there is anything.
    pub(crate) fn report_all(&mut self) -> bool {
        self.reports_all = self.is_pushed() || self.handle.is_unblocked();
        self.reports_all
    }

    fn is_pushed(&self) -> bool {
        self.pages.as_ref().is_some_and(ServedPages::has_unread)
    }
}
