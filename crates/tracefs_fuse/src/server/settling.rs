//! Switching recording off: who does it goes on when the readers have had the last events.
//!
//! trace-cmd ends its recorders right after it, and `trace-cmd stream` shows what they have handed on by
//! then. Events that fill no buffer as far as `buffer_percent` were not reported to them, and a recorder that
//! has only just started has not asked for anything: it would write nothing at all. So all events are
//! reported to them, and the write is answered when they have found nothing more, or after a moment.

use super::Server;
use crate::open_file::FileKind;
use crate::request::{Answer, Reply};
use polyfuse_kernel::fuse_write_out;
use rustix::fs::OFlags;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use zerocopy::IntoBytes;

/// How long readers are waited for at most.
const LONGEST: Duration = Duration::from_millis(200);

/// Which file switches recording off.
const SWITCH: &str = "tracing_on";

/// Writes that are done, and answered when their readers have had all.
#[derive(Default)]
pub(super) struct Settling(Vec<Settled>);

struct Settled {
    /// What the kernel calls the write.
    unique: u64,
    /// How much was written.
    size: u32,
    /// The files that may still be read from.
    readers: HashSet<u64>,
    /// When is waited no longer.
    end: Instant,
}

impl Settling {
    /// When is waited for readers no longer: None where nobody waits.
    pub(super) fn end(&self) -> Option<Instant> {
        self.0.iter().map(|settled| settled.end).min()
    }
}

impl Server {
    /// Answers a write to the file at `path` that is done, of `size` bytes: at once, or when it has settled.
    pub(super) fn settle(&mut self, unique: u64, thread: u32, path: &str, size: u32) -> Answer {
        let readers = match path.strip_suffix(SWITCH) {
            Some(directory) if self.is_off(path) => self.readers(&format!("{directory}per_cpu/"), thread),
            _ => HashSet::new(),
        };
        if readers.is_empty() {
            return Ok(Reply::of(&fuse_write_out { size, padding: 0 }));
        }
        self.settling.0.push(Settled { unique, size, readers, end: Instant::now() + LONGEST });
        Ok(Reply::Nothing)
    }

    fn is_off(&self, path: &str) -> bool {
        let read = self.tree.open(path, OFlags::RDONLY).and_then(|mut handle| handle.read(1));
        read.is_ok_and(|text| text == b"0")
    }

    /// The open pipes of pages below a directory that somebody else than a thread reads, and that have some.
    /// All events are reported to their readers.
    fn readers(&mut self, directory: &str, thread: u32) -> HashSet<u64> {
        let below = self.files.iter_mut().filter(|(_, file)| file.path.starts_with(directory));
        let read = below.filter(|(_, file)| file.kind == FileKind::Pages && file.is_read_next_to(thread));
        read.filter_map(|(fh, file)| file.report_all().then_some(*fh)).collect()
    }

    /// The reader of a file has found nothing more, or has closed it.
    pub(super) fn has_had_all(&mut self, fh: u64) {
        for settled in &mut self.settling.0 {
            settled.readers.remove(&fh);
        }
        self.answer_settled(|settled| settled.readers.is_empty());
    }

    /// A signal has come for a writer that waits for readers: the write is done all the same.
    pub(super) fn stop_settling(&mut self, unique: u64) {
        self.answer_settled(|settled| settled.unique == unique);
    }

    /// Waits for readers no longer than it is to.
    pub(super) fn end_settling(&mut self) {
        let now = Instant::now();
        self.answer_settled(|settled| settled.end <= now);
    }

    fn answer_settled(&mut self, is_ready: impl Fn(&Settled) -> bool) {
        if self.settling.0.is_empty() {
            return;
        }
        let all = std::mem::take(&mut self.settling.0);
        let (ready, waiting) = all.into_iter().partition::<Vec<_>, _>(is_ready);
        self.settling.0 = waiting;
        for Settled { unique, size, .. } in ready {
            let written = fuse_write_out { size, padding: 0 };
            self.channel.answer(unique, Ok(written.as_bytes()));
        }
    }
}
