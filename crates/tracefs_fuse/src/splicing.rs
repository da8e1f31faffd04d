//! splice(2) of a file that gives text.
//!
//! Since Linux 6.5 splice(2) takes what is in the page cache, below the file's size, and asks the server only
//! for a page that is not there; a text that comes in pieces of any length has no such pages. Of a file with
//! `O_DIRECT`, though, it asks the server each time, just as read(2) does. So the kernel gets the answer that
//! an open file is longer than a page. The first splice(2) then asks for that page and stands still, and
//! before it is answered its open file gets `O_DIRECT`. The answer is shorter than a page: to the kernel that
//! is the file's end, and no more is spliced. All that follows comes here by itself.
//!
//! The open file is reached as by debuggers, with pidfd_getfd(2), and so with the same rights (ptrace(2)).
//! Older kernels always ask, and nothing of this happens.

use crate::channel::Channel;
use crate::pages;
use polyfuse_kernel::{FUSE_READ_LOCKOWNER, fuse_read_in};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::fs::{read_dir, read_to_string};

/// Bytes of a page.
const PAGE: u32 = 4096;

/// Bytes that the first splice(2) gets at most: less than a page, so that its end is known.
const FIRST: u32 = PAGE - 1;

/// Whether a read is for the page cache: of splice(2), as far as streams are concerned.
pub(crate) fn is_cached(read: &fuse_read_in) -> bool {
    read.read_flags & FUSE_READ_LOCKOWNER == 0
}

/// How an open file comes to be spliced.
#[derive(Debug)]
pub(crate) struct Splicing {
    node: u64,
    inode: u64,
    /// The size that the kernel believes in.
    size: u64,
    has_begun: bool,
}

impl Splicing {
    /// Of a node that nobody else has open, and its inode's number.
    pub(crate) fn new(node: u64, inode: u64) -> Splicing {
        Splicing { node, inode, size: u64::from(PAGE), has_begun: false }
    }

    /// The node that it is about.
    pub(crate) fn node(&self) -> u64 {
        self.node
    }

    /// Whether somebody splices.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Has the kernel believe in a size, until somebody splices; and gives the size for the answer to
    /// stat(2).
    pub(crate) fn tell_size(&mut self, channel: &Channel) -> u64 {
        if self.has_begun {
            return self.size;
        }
        self.size += 1;
        // The kernel gets it before stat(2) gets its answer, which is outdated then and leaves the size as it
        // is. A node that was forgotten is not open.
        let _ = pages::tell_size(channel, self.node, self.size);
        0
    }

    /// A thread reads for the first splice(2), and waits: has all that follow come here. Gives the read as it
    /// is to be answered.
    ///
    /// # Errors
    ///
    /// EINVAL, as of a file that can't be spliced, without rights to the open files of its process.
    pub(crate) fn begin(&mut self, thread: u32, read: fuse_read_in) -> Result<fuse_read_in, Errno> {
        if !self.has_begun {
            make_direct(thread, self.inode).ok_or(Errno::INVAL)?;
            self.has_begun = true;
        }
        Ok(fuse_read_in { size: read.size.min(FIRST), ..read })
    }

    /// A read for splice(2) is answered with so many bytes.
    pub(crate) fn give(&mut self, len: usize) {
        self.size = len as u64;
    }
}

/// Sets `O_DIRECT` for what a thread's process has open of an inode. None if there is nothing that it could
/// be set for.
fn make_direct(thread: u32, inode: u64) -> Option<()> {
    let process = number(&format!("/proc/{thread}/status"), "Tgid:")?;
    let handle = pidfd_open(Pid::from_raw(process.try_into().ok()?)?, PidfdFlags::empty()).ok()?;
    let is_it =
        |process: &str, file| number(&format!("/proc/{process}/fdinfo/{file}"), "ino:") == Some(inode);
    let open = read_dir(format!("/proc/{process}/fd")).ok()?;
    let files = open
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|file| is_it(&process.to_string(), *file))
        .filter_map(|file| pidfd_getfd(&handle, file, PidfdGetfdFlags::empty()).ok())
        // The number may be another file's by now.
        .filter(|file| is_it("self", file.as_raw_fd()));
    let set = |file: OwnedFd| fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::DIRECT);
    files.filter_map(|file| set(file).ok()).last()
}

/// A number in a file of `/proc`.
fn number(path: &str, name: &str) -> Option<u64> {
    let text = read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}
