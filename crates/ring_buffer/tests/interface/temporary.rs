//! What several tests need: a buffer in a file of its own, and events to write to it.

use ring_buffer::{Buffer, Clock, Held, NotWritten, RecordBuffer, Specification, Walk, Writer, WriterThread};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes of the file before the buffer and after it.
const MARGIN: usize = 4096;

/// A buffer file that is gone when the test ends.
pub struct TemporaryBuffer {
    pub path: CString,
}

impl TemporaryBuffer {
    /// One with pages for every CPU, space for four times as many, and so many rings.
    pub fn new(pages: u32, rings: u32) -> TemporaryBuffer {
        TemporaryBuffer::with_clock(pages, rings, Clock::Tsc)
    }

    /// A buffer with this clock.
    pub fn with_clock(pages: u32, rings: u32, clock: Clock) -> TemporaryBuffer {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-ring-test-{}-{number}", std::process::id());
        let path = CString::new(path).expect("no zero byte");
        let cpus = vec![true; cpus()];
        let wanted = Specification {
            page_size: 4096,
            pages,
            most_pages: 4 * pages,
            cpus: &cpus,
            lanes: 2,
            rings,
            clock,
            overwrite: true,
            identity: 1,
        };
        let size = wanted.file_size().expect("a good specification") as usize;
        let reserved = wanted.reserved().expect("a good specification");
        let reserved = MARGIN as u64..reserved.end + MARGIN as u64;
        let file = shm::create_sparse(&path, size + 2 * MARGIN, std::iter::once(reserved)).expect("memory");
        Buffer::create(middle(file), &wanted).expect("a segment of the right size");
        TemporaryBuffer { path }
    }

    pub fn open(&self) -> Buffer {
        Buffer::new(self.segment()).expect("a buffer")
    }

    /// What the buffer is in.
    pub fn segment(&self) -> shm::Segment {
        middle(shm::open(&self.path).expect("it was created"))
    }

    /// KB of memory that the file takes.
    pub fn kb(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        let path = self.path.to_str().expect("ASCII");
        std::fs::metadata(path).expect("it was created").blocks() / 2
    }
}

/// All of a file but its margins. These are unmapped: who goes beyond the buffer crashes.
fn middle(file: shm::Segment) -> shm::Segment {
    let (_, rest) = file.split(MARGIN).expect("a margin");
    let len = rest.len() - MARGIN;
    rest.split(len).expect("another").0
}

impl Drop for TemporaryBuffer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().expect("ASCII"));
    }
}

pub fn cpus() -> usize {
    // SAFETY: always allowed.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }).unwrap_or(1)
}

/// How the calling thread writes: under rseq, or to lanes.
pub fn thread(lane: bool) -> WriterThread {
    let area = if lane { None } else { rseq::Area::current() };
    WriterThread { area, identity: identity() }
}

/// Both ways to write. The tests that don't need a lane of their own go both.
pub const ROUTES: [bool; 2] = [false, true];

/// The block that the calling thread writes to from now on: its CPU's, where it stays, or the first lane.
pub fn block(lane: bool, buffer: &Buffer) -> u32 {
    if lane {
        return buffer.geometry().cpus;
    }
    // SAFETY: plain system calls on the thread itself.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let cpu = libc::sched_getcpu();
        libc::CPU_SET(usize::try_from(cpu).expect("a CPU"), &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0);
        cpu as u32
    }
}

/// Whether a block is the only one with events. A thread that loses the CPU in two sections in a row, as it
/// may where it is the first to touch their memory, writes to a lane.
pub fn is_alone(block: u32, buffer: &Buffer) -> bool {
    (0..buffer.geometry().blocks()).all(|other| other == block || buffer.is_block_empty(other))
}

/// What holders and lanes' owners of the calling thread are called.
pub fn identity() -> u64 {
    /// The pid namespace of all of them.
    const NAMESPACE: u64 = 1 << 32;
    // SAFETY: always allowed.
    unsafe { libc::gettid() as u64 | NAMESPACE }
}

/// Writes an event with a number in it.
pub fn write(writer: &Writer, thread: WriterThread, number: u64) -> Result<(), NotWritten> {
    let mut record = RecordBuffer::<4>::new();
    record.push(abi::common::word(300, 0, 0, 1));
    record.push(number);
    writer.write(thread, record.event())
}

/// The numbers in a page.
pub fn numbers(page: &[u8]) -> Vec<u64> {
    let number = |end: &[u8]| u64::from_le_bytes(*end.last_chunk().expect("a number"));
    Walk::new(page).map(|found| number(&page[found.payload..][..found.len])).collect()
}

/// A buffer with two spare rings, and a writer to it.
pub fn with_spares(pages: u32) -> (TemporaryBuffer, Buffer, Writer) {
    let temporary = TemporaryBuffer::new(pages, 3);
    let buffer = temporary.open();
    let holder = buffer.holder(identity()).unwrap();
    holder.reserve(&temporary.path).unwrap();
    holder.reserve(&temporary.path).unwrap();
    drop(holder);
    let writer = Writer::new(temporary.open());
    (temporary, buffer, writer)
}

/// All numbers that a buffer holds, read without consuming.
pub fn live(buffer: &Buffer) -> Vec<u64> {
    all(buffer, |block, position, page| buffer.read(block, position, page))
}

/// All that a snapshot holds.
pub fn kept(buffer: &Buffer, held: &Held<'_>) -> Vec<u64> {
    all(buffer, |block, position, page| held.read(block, position, page))
}

fn all(buffer: &Buffer, read: impl Fn(u32, u64, &mut [u8]) -> Option<ring_buffer::PageCopy>) -> Vec<u64> {
    let mut page = vec![0; buffer.geometry().page_size as usize];
    let mut found = Vec::new();
    for block in 0..buffer.geometry().blocks() {
        let mut position = 0;
        while let Some(taken) = read(block, position, &mut page) {
            found.extend(numbers(&page[..taken.len]));
            position = taken.next_event();
        }
    }
    found.sort_unstable();
    found
}

/// The numbers of a range.
pub fn range(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}
