//! The way to the kernel: `/dev/fuse`, from which requests are read and to which answers are written.

use polyfuse_kernel::fuse_out_header;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::{Errno, ioctl_fionbio, read, write, writev};
use std::io::IoSlice;
use std::iter;
use std::time::Duration;
use zerocopy::IntoBytes;

/// Bytes up to which an answer is copied together: the kernel takes hold of the memory of each piece that it
/// is given, which takes longer.
const SHORT: usize = 1024;

/// A connection to the kernel.
#[derive(Debug)]
pub(crate) struct Channel {
    device: OwnedFd,
    is_nonblocking: bool,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// A request of so many bytes.
    Request(usize),
    /// Nothing in that time.
    Nothing,
    /// The file system is mounted nowhere any more.
    End,
}

impl Channel {
    /// Of a device that was mounted.
    pub(crate) fn new(device: OwnedFd) -> Channel {
        Channel { device, is_nonblocking: false }
    }

    /// Waits for a request, `most` at the longest. Without a limit that is one system call for a request.
    ///
    /// # Errors
    ///
    /// Those of read(2) but for the kernel's ways to say that there is none, or no mount any more.
    pub(crate) fn receive(&mut self, buffer: &mut [u8], most: Option<Duration>) -> Result<Received, Errno> {
        // With a limit, a request that is withdrawn between poll and read must not make read wait.
        if self.is_nonblocking != most.is_some() {
            ioctl_fionbio(&self.device, most.is_some())?;
            self.is_nonblocking = most.is_some();
        }
        loop {
            match read(&self.device, &mut *buffer) {
                Ok(len) => return Ok(Received::Request(len)),
                Err(Errno::NODEV) => return Ok(Received::End),
                Err(Errno::AGAIN) if !self.wait(most)? => return Ok(Received::Nothing),
                // ENOENT: withdrawn by its caller while it was read.
                Err(Errno::AGAIN | Errno::INTR | Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether a request came in that time.
    fn wait(&self, most: Option<Duration>) -> Result<bool, Errno> {
        let limit = most.and_then(|most| Timespec::try_from(most).ok());
        match poll(&mut [PollFd::new(&self.device, PollFlags::IN)], limit.as_ref()) {
            Ok(count) => Ok(count > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Answers a request. That the caller has gone meanwhile is no error.
    pub(crate) fn answer(&self, unique: u64, result: Result<&[u8], Errno>) {
        let (error, body) = match result {
            Ok(body) => (0, body),
            Err(error) => (-error.raw_os_error(), &[][..]),
        };
        let _ = self.write(unique, error, &[body]);
    }

    /// Sends the kernel a notification that it hasn't asked for.
    ///
    /// # Errors
    ///
    /// ENOENT for a node or a handle that it has forgotten.
    pub(crate) fn notify(&self, code: u32, parts: &[&[u8]]) -> Result<(), Errno> {
        self.write(0, code.cast_signed(), parts)
    }

    fn write(&self, unique: u64, error: i32, parts: &[&[u8]]) -> Result<(), Errno> {
        let len = size_of::<fuse_out_header>() + parts.iter().map(|part| part.len()).sum::<usize>();
        let header = fuse_out_header { len: len as u32, error, unique };
        let pieces = || iter::once(header.as_bytes()).chain(parts.iter().copied());
        if len <= SHORT {
            let mut bytes = Vec::with_capacity(len);
            pieces().for_each(|piece| bytes.extend_from_slice(piece));
            return write(&self.device, &bytes).map(drop);
        }
        let pieces: Vec<IoSlice<'_>> = pieces().map(IoSlice::new).collect();
        writev(&self.device, &pieces).map(drop)
    }
}
