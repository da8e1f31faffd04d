//! A buffer in a file of its own.

use crate::clock::cpus;
use ring_buffer::{Buffer, Clock, Specification, Writer, WriterThread};
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Spare rings.
const SPARES: u32 = 3;

/// By which way events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Under rseq.
    Cpu,
    /// As a thread without rseq.
    Lane,
}

/// A buffer, a writer to it, and its file, which goes with it. Snapshots could be taken.
#[derive(Debug)]
pub struct Fixture {
    pub buffer: Buffer,
    pub writer: Writer,
    pub path: CString,
}

impl Fixture {
    /// One with so many KB for each of the CPUs that are measured on.
    pub fn new(kb: u32, page_size: u32) -> Result<Fixture, String> {
        Fixture::with_clock(kb, page_size, Clock::Tsc)
    }

    /// A fixture whose buffer has another clock.
    pub fn with_clock(kb: u32, page_size: u32, clock: Clock) -> Result<Fixture, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-benches-ring-{}-{number}", std::process::id());
        let path = CString::new(path).map_err(|error| error.to_string())?;
        let measured = cpus(2);
        let last = measured.iter().max().copied().unwrap_or(0);
        let reserved: Vec<bool> = (0..=last).map(|cpu| measured.contains(&cpu)).collect();
        let pages = (kb * 1024 / page_size).max(2);
        let wanted = Specification {
            page_size,
            pages,
            most_pages: pages,
            cpus: &reserved,
            lanes: 1,
            rings: 1 + SPARES,
            clock,
            overwrite: true,
            identity: 1,
        };
        let size = wanted.file_size().ok_or("a bad specification")? as usize;
        let memory = wanted.reserved().ok_or("a bad specification")?;
        let segment =
            shm::create_sparse(&path, size, std::iter::once(memory)).map_err(|error| error.to_string())?;
        let buffer = Buffer::create(segment, &wanted).ok_or("a bad segment")?;
        let same = shm::open(&path).map_err(|error| error.to_string())?;
        let writer = Writer::new(Buffer::new(same).map_err(|error| error.to_string())?);
        Ok(Fixture { buffer, writer, path })
    }

    /// Who writes, by the calling thread.
    pub fn thread(route: Route) -> WriterThread {
        let area = if route == Route::Cpu { rseq::Area::current() } else { None };
        WriterThread { area, identity: identity() }
    }
}

/// Bytes that each event in a buffer takes of those that `write` writes, all in all.
pub fn bytes_per_event(buffer: &Buffer, write: impl FnOnce()) -> f64 {
    buffer.clear();
    write();
    let blocks = 0..buffer.geometry().blocks();
    let (bytes, events) = blocks.fold((0, 0), |(bytes, events), block| {
        let statistics = buffer.statistics(block);
        (bytes + statistics.bytes, events + statistics.entries)
    });
    bytes as f64 / events as f64
}

/// What the calling thread is called where its memory outlives it.
pub fn identity() -> u64 {
    rustix::thread::gettid().as_raw_nonzero().get() as u64
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(OsStr::from_bytes(self.path.as_bytes()));
    }
}
