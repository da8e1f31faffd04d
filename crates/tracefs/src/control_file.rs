//! What a control file is, wherever it is in the tree.

use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;

/// What is done with a file that may change something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    /// It is opened for writing, with these flags.
    Opened(OFlags),
    /// This is written to it.
    Written(&'a [u8]),
}

impl Change<'_> {
    /// Whether it is opened with `O_TRUNC`.
    pub(crate) fn is_truncation(self) -> bool {
        matches!(self, Change::Opened(flags) if is_truncating(flags))
    }

    /// Whether something is written to it that is not empty.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Change::Written(bytes) if !bytes.is_empty())
    }
}

/// What can be opened.
pub(crate) trait ControlFile: Send + Sync {
    /// [`FileNode::mode`](crate::FileNode::mode).
    fn mode(&self) -> u32 {
        0o640
    }

    /// [`FileNode::is_stream`](crate::FileNode::is_stream).
    fn is_stream(&self) -> bool {
        false
    }

    /// Whether this takes away something that is recorded, or will be.
    fn takes_away(&self, change: Change<'_>) -> bool {
        let _ = change;
        false
    }

    /// Whether its instance can't be removed while it is open.
    fn keeps_instance(&self) -> bool {
        true
    }

    /// [`FileNode::is_paged`](crate::FileNode::is_paged).
    fn is_paged(&self) -> bool {
        false
    }

    /// [`FileNode::cached_size`](crate::FileNode::cached_size).
    fn cached_size(&self) -> u64 {
        0
    }

    /// Opens it. What opening for writing with `O_TRUNC` does, it does here.
    fn open(&self, array: &TraceArray, flags: OFlags) -> Result<Box<dyn Opened>, Errno>;
}

/// An open file. All calls are short: none waits.
pub(crate) trait Opened: Send {
    /// Reads up to `len` bytes at `offset`; streams have no offset. None when there is nothing now: EAGAIN
    /// for a reader that doesn't wait; the others wait until [`Opened::is_unblocked`], if it is not the end
    /// ([`Opened::is_at_end`]).
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let _ = (offset, len);
        Err(Errno::INVAL)
    }

    /// Writes, and says how many bytes were taken: with fewer than there are, the caller comes again with the
    /// rest.
    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        let _ = (author, bytes);
        Err(Errno::INVAL)
    }

    /// Does what an ioctl(2) asks for, with the bytes that it takes, and gives those that it gives.
    fn ioctl(&mut self, request: u32, argument: &[u8]) -> Result<Vec<u8>, Errno> {
        let _ = (request, argument);
        Err(Errno::NOTTY)
    }

    /// Whether poll(2) says that it can be read.
    fn is_readable(&self) -> bool {
        true
    }

    /// Whether a reader that waits would go on.
    fn is_unblocked(&self) -> bool {
        self.is_readable() || self.is_at_end()
    }

    /// Whether nothing will come, so that a reader that would wait is at the end.
    fn is_at_end(&self) -> bool {
        false
    }
}

/// Whether opening with these flags truncates: only a writer's does.
pub(crate) fn is_truncating(flags: OFlags) -> bool {
    flags.contains(OFlags::TRUNC) && flags.intersects(OFlags::WRONLY | OFlags::RDWR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_may_write_truncates() {
        assert!(is_truncating(OFlags::WRONLY | OFlags::TRUNC) && is_truncating(OFlags::RDWR | OFlags::TRUNC));
        assert!(!is_truncating(OFlags::RDONLY | OFlags::TRUNC) && !is_truncating(OFlags::WRONLY));
    }
}
