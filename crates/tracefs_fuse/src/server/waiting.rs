//! Who waits: reads for which there is nothing yet, and programs in poll(2).
//!
//! As long as anybody waits it is looked for events at a [`Pace`]; while nobody waits nothing is done.

use super::Server;
use crate::open_file::FileKind;
use crate::request::{Answer, Reply, Request};
use crate::splicing::is_cached;
use polyfuse_kernel::*;
use rustix::event::PollFlags;
use rustix::io::Errno;
use session::Pace;
use std::time::Instant;
use zerocopy::IntoBytes;

/// What poll(2) says of a pipe with something in it.
const READABLE: PollFlags = PollFlags::IN.union(PollFlags::RDNORM);

/// What poll(2) says of all other files, always.
const READY: PollFlags = READABLE.union(PollFlags::OUT).union(PollFlags::WRNORM);

/// A read that is answered later.
pub(super) struct ParkedRead {
    /// What the kernel calls it.
    pub(super) unique: u64,
    /// Of which node.
    pub(super) node: u64,
    /// What is asked for.
    pub(super) read: fuse_read_in,
}

/// All that wait.
#[derive(Default)]
pub(super) struct Waiting {
    reads: Vec<ParkedRead>,
    /// Files in poll(2).
    files: Vec<u64>,
    pace: Pace,
    /// When is to be looked next: None while nobody waits.
    next: Option<Instant>,
}

impl Waiting {
    /// When is to be looked next: None while nobody waits.
    pub(super) fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Whether is to be looked now.
    pub(super) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| next <= Instant::now())
    }

    /// Has it looked for somebody soon.
    fn begin(&mut self) {
        self.next = Some(Instant::now() + self.pace.after(true));
    }

    /// Has it looked at once, if anybody waits.
    pub(super) fn hurry(&mut self) {
        if self.next.is_some() {
            self.next = Some(Instant::now());
        }
    }

    /// Adds a read.
    pub(super) fn park(&mut self, read: ParkedRead) {
        self.reads.push(read);
        self.begin();
    }

    /// Whether a page of a file is waited for.
    pub(super) fn is_filling(&self, node: u64) -> bool {
        self.reads.iter().any(|parked| parked.node == node && is_cached(&parked.read))
    }

    /// Decides when is to be looked again, after a look that has found something or not.
    fn go_on(&mut self, has_found: bool) {
        let pause = self.pace.after(has_found);
        let anybody = !self.reads.is_empty() || !self.files.is_empty();
        self.next = anybody.then(|| Instant::now() + pause);
    }
}

impl Server {
    /// Answers reads that can go on, and notifies those in poll(2).
    pub(super) fn look(&mut self) {
        let reads = std::mem::take(&mut self.waiting.reads);
        let (before, polled) = (reads.len(), self.waiting.files.len());
        self.waiting.reads = reads.into_iter().filter(|parked| self.is_still_waiting(parked)).collect();
        let files = std::mem::take(&mut self.waiting.files);
        self.waiting.files = files.into_iter().filter(|fh| self.is_still_polled(*fh)).collect();
        self.waiting.go_on(self.waiting.reads.len() < before || self.waiting.files.len() < polled);
    }

    fn is_still_waiting(&mut self, parked: &ParkedRead) -> bool {
        let ParkedRead { unique, read, .. } = parked;
        let Some(file) = self.files.get_mut(&read.fh) else { return false };
        if !file.handle.is_unblocked() {
            return true;
        }
        let answer = match file.read(read) {
            // Somebody else has taken it.
            Ok(None) => return true,
            Ok(Some(bytes)) => Ok(bytes),
            Err(error) => Err(error),
        };
        self.channel.answer(*unique, answer.as_deref().map_err(|error| *error));
        false
    }

    fn is_still_polled(&mut self, fh: u64) -> bool {
        let Some(file) = self.files.get_mut(&fh) else { return false };
        let Some(kh) = file.waker.filter(|_| file.is_readable()) else { return file.waker.is_some() };
        file.waker = None;
        self.wake(kh);
        false
    }

    /// Has who is in poll(2) look again.
    fn wake(&self, kh: u64) {
        // It may have gone meanwhile.
        let _ = self.channel.notify(FUSE_NOTIFY_POLL, &[fuse_notify_poll_wakeup_out { kh }.as_bytes()]);
    }

    pub(super) fn poll(&mut self, request: &Request<'_>) -> Answer {
        let wanted: fuse_poll_in = request.argument()?;
        let file = self.files.get_mut(&wanted.fh).ok_or(Errno::BADF)?;
        file.note(request.header.pid);
        let gives_events = matches!(file.kind, FileKind::Pages | FileKind::Pipe);
        let is_readable = file.is_readable();
        if is_readable && let Some(pages) = &mut file.pages {
            pages.push(&mut file.handle, &self.channel);
        }
        if !is_readable && wanted.flags & FUSE_POLL_SCHEDULE_NOTIFY != 0 {
            if file.waker.replace(wanted.kh).is_none() {
                self.waiting.files.push(wanted.fh);
            }
            self.waiting.begin();
        }
        let ready = match is_readable {
            true if gives_events => READABLE,
            true => READY,
            false => PollFlags::empty(),
        };
        if gives_events {
            self.note_reader(request);
        }
        if !is_readable {
            self.has_had_all(wanted.fh);
        }
        Ok(Reply::of(&fuse_poll_out { revents: u32::from(ready.bits()), padding: 0 }))
    }

    /// ioctl(2): with 0 of a pipe of pages, who waits is to wait no longer. All others are the file's.
    pub(super) fn ioctl(&mut self, request: &Request<'_>) -> Answer {
        let (wanted, argument) = request.argument_and_rest::<fuse_ioctl_in>()?;
        let file = self.files.get_mut(&wanted.fh).ok_or(Errno::BADF)?;
        let mut reply = fuse_ioctl_out::default().as_bytes().to_vec();
        if wanted.cmd == 0 && file.kind == FileKind::Pages {
            let node = file.path.clone();
            self.release_waiters(&node);
        } else {
            let argument = argument.get(..wanted.in_size as usize).ok_or(Errno::INVAL)?;
            reply.extend(file.handle.ioctl(wanted.cmd, argument)?);
        }
        Ok(Reply::Bytes(reply))
    }

    /// Ends the waiting of all that wait for what is at `path`: reads find nothing.
    fn release_waiters(&mut self, path: &str) {
        let files = &self.files;
        let is_meant = |fh: u64| files.get(&fh).is_some_and(|file| *file.path == *path);
        let (ended, kept) = std::mem::take(&mut self.waiting.reads)
            .into_iter()
            .partition::<Vec<_>, _>(|parked| is_meant(parked.read.fh));
        self.waiting.reads = kept;
        for parked in ended {
            self.channel.answer(parked.unique, Ok(&[]));
        }
        let wakers: Vec<u64> =
            self.files.values().filter(|file| *file.path == *path).filter_map(|file| file.waker).collect();
        wakers.into_iter().for_each(|kh| self.wake(kh));
    }

    /// A signal has come for a reader that waits. What is not parked is answered already.
    pub(super) fn interrupt(&mut self, request: &Request<'_>) -> Answer {
        let fuse_interrupt_in { unique } = request.argument()?;
        if let Some(index) = self.waiting.reads.iter().position(|parked| parked.unique == unique) {
            self.waiting.reads.swap_remove(index);
            self.channel.answer(unique, Err(Errno::INTR));
        }
        self.stop_settling(unique);
        Ok(Reply::Nothing)
    }
}
