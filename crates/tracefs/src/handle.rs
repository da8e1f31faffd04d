//! An open file as a program has it: with a position, and with what the kernel's file layer does for all
//! files.

use crate::control_file::Opened;
use crate::follower::Follower;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Lock};

/// An open file of the tree.
///
/// Nothing here waits. Where a read would, it is EAGAIN, with `O_NONBLOCK` or without; a caller that waits
/// reads again when [`Handle::is_unblocked`].
pub struct Handle {
    opened: Box<dyn Opened>,
    flags: OFlags,
    is_stream: bool,
    position: u64,
    /// Where the top level may become an instance of its own meanwhile.
    follower: Option<Follower>,
    /// What keeps its instance from being removed.
    _lock: Option<Lock>,
}

impl Handle {
    pub(crate) fn new(
        opened: Box<dyn Opened>,
        flags: OFlags,
        is_stream: bool,
        follower: Option<Follower>,
        lock: Option<Lock>,
    ) -> Handle {
        Handle { opened, flags, is_stream, position: 0, follower, _lock: lock }
    }

    /// Whether it is a pipe of what the top level shows no more. A text is read to its end where it began.
    fn has_moved(&self) -> bool {
        self.is_stream && self.follower.as_ref().is_some_and(Follower::has_moved)
    }

    /// Goes where the top level is, if it is elsewhere now, or will be when this is written.
    fn follow(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        if let Some(follower) = &self.follower
            && let Some(opened) = follower.follow(bytes)?
        {
            (self.opened, self.follower) = (opened, None);
        }
        Ok(())
    }

    /// read(2): up to `len` bytes; none at the end.
    ///
    /// # Errors
    ///
    /// EBADF when it was opened for writing only; EINVAL for files that can't be read, and for offsets that
    /// no file has; EAGAIN when there is nothing now.
    pub fn read(&mut self, len: usize) -> Result<Vec<u8>, Errno> {
        let bytes = self.read_at(self.position, len)?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }

    /// pread(2), and what a server is asked for. Streams go on where they are.
    ///
    /// # Errors
    ///
    /// Those of [`Handle::read`].
    pub fn read_at(&mut self, offset: u64, len: usize) -> Result<Vec<u8>, Errno> {
        if self.flags.contains(OFlags::WRONLY) {
            return Err(Errno::BADF);
        }
        if offset.checked_add(len as u64).is_none_or(|end| end > i64::MAX as u64) {
            return Err(Errno::INVAL);
        }
        if self.has_moved() {
            self.follow(&[])?;
        }
        match self.opened.read(offset, len)? {
            Some(bytes) => Ok(bytes),
            None if !self.is_nonblocking() && self.opened.is_at_end() => Ok(Vec::new()),
            None => Err(Errno::AGAIN),
        }
    }

    /// Everything from the position on to the end. Of a stream, which has no end: all that can be read now.
    ///
    /// # Errors
    ///
    /// Those of [`Handle::read`], but for EAGAIN.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>, Errno> {
        let mut all = Vec::new();
        loop {
            match self.read(READ) {
                Ok(bytes) if bytes.is_empty() => return Ok(all),
                Ok(bytes) => all.extend_from_slice(&bytes),
                Err(Errno::AGAIN) => return Ok(all),
                Err(error) => return Err(error),
            }
        }
    }

    /// write(2): how many bytes were taken.
    ///
    /// # Errors
    ///
    /// EBADF when it was opened for reading only, or when there is no recording for a marker to go to; else
    /// those of the file: EINVAL for what it doesn't understand.
    pub fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        if !self.flags.intersects(OFlags::WRONLY | OFlags::RDWR) {
            return Err(Errno::BADF);
        }
        self.follow(bytes)?;
        let taken = self.opened.write(author, bytes)?;
        self.position += taken as u64;
        Ok(taken)
    }

    /// Writes all, coming again with the rest, as the shell does. What was taken before an error stays.
    ///
    /// # Errors
    ///
    /// Those of [`Handle::write`].
    pub fn write_all(&mut self, author: Author, mut bytes: &[u8]) -> Result<(), Errno> {
        loop {
            let taken = self.write(author, bytes)?;
            bytes = bytes.get(taken..).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(());
            }
            if taken == 0 {
                return Err(Errno::IO);
            }
        }
    }

    /// ioctl(2) with a request that takes these bytes, or none: gives what it gives.
    ///
    /// # Errors
    ///
    /// ENOTTY for a request that the file doesn't know; else those of the file.
    pub fn ioctl(&mut self, request: u32, argument: &[u8]) -> Result<Vec<u8>, Errno> {
        if self.has_moved() {
            self.follow(&[])?;
        }
        self.opened.ioctl(request, argument)
    }

    /// lseek(2) to an offset from the start.
    ///
    /// # Errors
    ///
    /// ESPIPE for streams.
    pub fn seek(&mut self, offset: u64) -> Result<(), Errno> {
        if self.is_stream {
            return Err(Errno::SPIPE);
        }
        self.position = offset;
        Ok(())
    }

    /// Whether poll(2) says that it can be read.
    pub fn is_readable(&self) -> bool {
        self.has_moved() || self.opened.is_readable()
    }

    /// Whether a read that was EAGAIN would go on.
    pub fn is_unblocked(&self) -> bool {
        self.has_moved() || self.opened.is_unblocked()
    }

    /// fcntl(2) with `F_SETFL`: whether its reader gets EAGAIN and does not wait.
    pub fn set_nonblocking(&mut self, is_nonblocking: bool) {
        self.flags.set(OFlags::NONBLOCK, is_nonblocking);
    }

    /// Whether its reader gets EAGAIN and does not wait.
    pub fn is_nonblocking(&self) -> bool {
        self.flags.contains(OFlags::NONBLOCK)
    }
}

/// Bytes of one read.
const READ: usize = 1 << 16;
