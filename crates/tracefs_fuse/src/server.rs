//! The server: one thread that answers one request after the other.
//!
//! None of them waits. A read for which there is nothing yet is parked, and answered later; so neither
//! a reader nor a program that writes to a control file can hold up the others. One thread also keeps the
//! kernel's order: a file that was closed before a directory is removed is closed then.

mod entries;
mod files;
mod listing;
mod settling;
mod waiting;

use crate::attributes::Attributes;
use crate::channel::{Channel, Received};
use crate::kept_texts::KeptTexts;
use crate::mount::Mount;
use crate::nodes::Nodes;
use crate::open_file::OpenFile;
use crate::readers::Readers;
use crate::request::{Answer, Reply, Request};
use crate::requester::Requester;
use listing::Listing;
use polyfuse_kernel::*;
use rustix::io::Errno;
use settling::Settling;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tracefs::Tree;
use waiting::Waiting;

/// Bytes of the longest write, and of the longest read.
const MOST: u32 = PAGES as u32 * 4096;

/// The longest request, in pages.
const PAGES: u16 = 64;

/// Bytes that are read from the kernel at a time: it refuses to write a request into less than the longest
/// one.
const BUFFER: usize = MOST as usize + 4096;

/// What is asked of the kernel, if it knows that: reads of many pages; `O_TRUNC` passed to open, where it
/// means something else than truncate(2); entries with their attributes. Not `FUSE_ASYNC_READ`: who waits for
/// a page could not be interrupted.
const WANTED: u32 =
    FUSE_ATOMIC_O_TRUNC | FUSE_BIG_WRITES | FUSE_DO_READDIRPLUS | FUSE_MAX_PAGES | FUSE_PARALLEL_DIROPS;

/// Serves a tree that is mounted.
pub struct Server {
    channel: Channel,
    tree: Tree,
    attributes: Attributes,
    nodes: Nodes,
    files: HashMap<u64, OpenFile>,
    listings: HashMap<u64, Listing>,
    texts: KeptTexts,
    waiting: Waiting,
    settling: Settling,
    requester: Requester,
    /// Where processes that read are not recorded.
    readers: Option<Readers>,
    /// The number of the file or listing that was opened last.
    last: u64,
}

impl Server {
    /// Of a tree, at a place where it was mounted.
    pub fn new(tree: Tree, mount: Mount) -> Server {
        Server {
            attributes: Attributes::new(mount.gid()),
            channel: Channel::new(mount.into_device()),
            tree,
            nodes: Nodes::new(),
            files: HashMap::new(),
            listings: HashMap::new(),
            texts: KeptTexts::default(),
            waiting: Waiting::default(),
            settling: Settling::default(),
            requester: Requester::default(),
            readers: None,
            last: 0,
        }
    }

    /// Has the session not record what processes do after they have read a file of the tree, and what those
    /// do that they fork then. The programs that they execute are recorded.
    #[must_use]
    pub fn leaving_readers_out(mut self) -> Server {
        self.readers = Some(Readers::new());
        self
    }

    /// Serves until it is mounted nowhere any more.
    ///
    /// # Errors
    ///
    /// Those of read(2) from `/dev/fuse`: none in a system that works.
    pub fn run(mut self) -> std::io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        loop {
            match self.channel.receive(&mut buffer, self.most())? {
                Received::Request(len) => self.answer(buffer.get(..len).unwrap_or_default()),
                Received::Nothing => {}
                Received::End => return Ok(()),
            }
            if self.waiting.is_due() {
                self.look();
            }
            self.end_settling();
        }
    }

    /// How long a request may be waited for; None is for ever.
    fn most(&self) -> Option<Duration> {
        let next = [self.waiting.next(), self.settling.end()].into_iter().flatten().min();
        next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    fn answer(&mut self, bytes: &[u8]) {
        let Some(request) = Request::parse(bytes) else { return };
        self.requester.note(request.header.pid);
        match self.dispatch(&request) {
            Ok(Reply::Nothing) => {}
            Ok(Reply::Bytes(body)) => self.channel.answer(request.header.unique, Ok(&body)),
            Err(error) => self.channel.answer(request.header.unique, Err(error)),
        }
    }

    fn dispatch(&mut self, request: &Request<'_>) -> Answer {
        match request.header.opcode {
            FUSE_INIT => init(request),
            FUSE_LOOKUP => self.lookup(request),
            FUSE_FORGET => self.forget(request),
            FUSE_BATCH_FORGET => self.forget_many(request),
            FUSE_GETATTR => self.getattr(request),
            FUSE_SETATTR => self.setattr(request),
            FUSE_MKDIR => self.mkdir(request),
            FUSE_RMDIR => self.rmdir(request),
            FUSE_UNLINK => self.unlink(request),
            FUSE_CREATE => self.create(request),
            // As in the kernel: entries are what they are.
            FUSE_MKNOD | FUSE_SYMLINK | FUSE_LINK | FUSE_RENAME | FUSE_RENAME2 => Err(Errno::PERM),
            FUSE_STATFS => statfs(),
            FUSE_OPENDIR => self.opendir(request),
            FUSE_READDIR => self.readdir(request, false),
            FUSE_READDIRPLUS => self.readdir(request, true),
            FUSE_RELEASEDIR => self.releasedir(request),
            FUSE_OPEN => self.open(request),
            FUSE_READ => self.read(request),
            FUSE_WRITE => self.write(request),
            FUSE_RELEASE => self.release(request),
            FUSE_POLL => self.poll(request),
            FUSE_IOCTL => self.ioctl(request),
            FUSE_INTERRUPT => self.interrupt(request),
            FUSE_FLUSH | FUSE_FSYNC | FUSE_DESTROY => Ok(Reply::DONE),
            // The kernel then knows that there are none: extended attributes, holes, and what is newer.
            _ => Err(Errno::NOSYS),
        }
    }

    /// Notes that a thread reads a file.
    fn note_reader(&mut self, request: &Request<'_>) {
        if let Some(readers) = &mut self.readers {
            readers.note(self.tree.instance(), request.header.pid);
        }
    }

    /// A number for something that is opened.
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn init(request: &Request<'_>) -> Answer {
    let kernel: fuse_init_in = request.argument()?;
    if kernel.major < FUSE_KERNEL_VERSION {
        return Err(Errno::PROTO);
    }
    // A newer kernel comes again with this major version, and does without what a minor one brought.
    let agreed = fuse_init_out {
        flags: kernel.flags & WANTED,
        minor: kernel.minor.min(FUSE_KERNEL_MINOR_VERSION),
        max_write: MOST,
        max_pages: PAGES,
        time_gran: 1,
        ..fuse_init_out::default()
    };
    Ok(Reply::of(&agreed))
}

/// As in the kernel: nothing has a size.
fn statfs() -> Answer {
    let st = fuse_kstatfs { bsize: 4096, frsize: 4096, namelen: 255, ..fuse_kstatfs::default() };
    Ok(Reply::of(&fuse_statfs_out { st }))
}
