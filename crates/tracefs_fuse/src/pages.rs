//! ServedPages for splice(2).
//!
//! splice(2) from a FUSE file takes what is in the page cache, below the file's size, and asks the server
//! only for pages that are not there. So before poll(2) says that a raw pipe can be read, the next pages are
//! put into the cache, all but the last: of that the kernel gets only the size. A client that reads all of
//! them has to ask for the last, which shows that the others were read, and the next can follow. Who reads by
//! read(2) says by the offset how far he is.
//!
//! ```text
//! file      | read ...        | page | page | page | (asked for) |
//!           0                 start                              end = its size
//! ```

use crate::channel::Channel;
use polyfuse_kernel::{
    FUSE_NOTIFY_INVAL_INODE, FUSE_NOTIFY_STORE, fuse_notify_inval_inode_out, fuse_notify_store_out,
};
use rustix::io::Errno;
use tracefs::Handle;
use zerocopy::IntoBytes;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Bytes that are put there at a time: at first what a pipe(7) holds, so that a client that reads that and
/// closes has read all. Twice as much after each full batch that was read, so that there are fewer requests.
const FIRST: usize = 16 * PAGE;
const MOST: usize = 64 * PAGE;

/// What a file has given to its only reader.
#[derive(Debug)]
pub(crate) struct ServedPages {
    node: u64,
    /// Where `bytes` start in the file.
    start: u64,
    /// What the reader may still ask for.
    bytes: Vec<u8>,
    /// How much of them was read, as far as is known.
    read: usize,
    /// How many bytes are put there next.
    wanted: usize,
}

impl ServedPages {
    /// Of a node that nobody else has open.
    pub(crate) fn new(node: u64) -> ServedPages {
        ServedPages { node, start: 0, bytes: Vec::new(), read: 0, wanted: FIRST }
    }

    /// The file's size.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The node that it is about.
    pub(crate) fn node(&self) -> u64 {
        self.node
    }

    /// Whether pages are there that the reader hasn't taken.
    pub(crate) fn has_unread(&self) -> bool {
        self.read < self.bytes.len()
    }

    /// Reads at an offset: what is there already, to the end of its page; or the file's next page.
    pub(crate) fn read(&mut self, handle: &mut Handle, offset: u64, size: usize) -> Result<Vec<u8>, Errno> {
        let at = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        if let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let part = &rest[..size.min(PAGE - at % PAGE).min(rest.len())];
            self.read = self.read.max(at + part.len());
            return Ok(part.to_vec());
        }
        let bytes = handle.read_at(offset, size)?;
        *self = ServedPages { start: offset + bytes.len() as u64, ..ServedPages::new(self.node) };
        Ok(bytes)
    }

    /// Puts the next pages where splice(2) finds them, if those before were taken.
    pub(crate) fn push(&mut self, handle: &mut Handle, channel: &Channel) {
        // A reader that has read a page in part goes on by read(2).
        if self.has_unread() || !self.end().is_multiple_of(PAGE as u64) {
            return;
        }
        let taken = (self.start, self.bytes.len());
        if self.bytes.len() == self.wanted {
            self.wanted = (2 * self.wanted).min(MOST);
        }
        (self.start, self.read) = (self.end(), 0);
        self.bytes.clear();
        handle.set_nonblocking(true);
        while self.bytes.len() < self.wanted
            && let Ok(page) = handle.read_at(self.end(), PAGE)
            && !page.is_empty()
        {
            self.bytes.extend(page);
        }
        if !self.has_unread() {
            return;
        }
        // The kernel has forgotten the node only if nobody can read it any more.
        let _ = self.drop_from_cache(channel, taken).and_then(|()| self.store(channel));
    }

    fn drop_from_cache(&self, channel: &Channel, (start, len): (u64, usize)) -> Result<(), Errno> {
        if len == 0 {
            return Ok(());
        }
        let (off, len) = (start.cast_signed(), len as i64);
        let range = fuse_notify_inval_inode_out { ino: self.node, off, len };
        channel.notify(FUSE_NOTIFY_INVAL_INODE, &[range.as_bytes()])
    }

    fn store(&self, channel: &Channel) -> Result<(), Errno> {
        let stored = self.bytes.len().saturating_sub(PAGE);
        if stored > 0 {
            store(channel, self.node, self.start, self.bytes.get(..stored).unwrap_or_default())?;
        }
        tell_size(channel, self.node, self.end())
    }
}

/// Has the kernel believe that a file is so long, at least.
pub(crate) fn tell_size(channel: &Channel, node: u64, size: u64) -> Result<(), Errno> {
    // One byte does not make a page: the kernel asks for it when it is read.
    store(channel, node, size.saturating_sub(1), &[0])
}

fn store(channel: &Channel, nodeid: u64, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
    let place = fuse_notify_store_out { nodeid, offset, size: bytes.len() as u32, padding: 0 };
    channel.notify(FUSE_NOTIFY_STORE, &[place.as_bytes(), bytes])
}
