//! A buffer in a known state, and what somebody sees in it who comes when all others are gone.

use crate::event::{self, MAX_WORDS, Stamp, WRITER_OF_SHORT};
use crate::traced::NAMESPACE;
use abi::buffer::{BLOCKS_OFFSET, Block};
use abi::page;
use ring_buffer::{Buffer, Clock, Holder, NotWritten, PageCopy, Released, Specification, Statistics};
use ring_buffer::{RecordBuffer, Walk, Writer, WriterThread};
use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::fs::File;
use std::mem::offset_of;
use std::ops::RangeInclusive;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Rings of each block: the live one and two for snapshots.
const RINGS: u32 = 3;

/// Pages of each CPU.
pub const PAGES: u32 = 3;
/// The most that it can have.
const MOST_PAGES: u32 = 5;

/// A buffer file, mapped. It is gone when the test ends.
pub struct Stage {
    pub path: CString,
    pub buffer: Buffer,
    pub writer: Writer,
    file: File,
    /// Number of the last event.
    number: Cell<u64>,
    /// The next one, if it has been built.
    next: RefCell<Option<RecordBuffer<MAX_WORDS>>>,
    /// Whose events are built.
    pub stamped: Cell<i32>,
    /// Words to be stored, and where, by an act that has a plan.
    pub plan: RefCell<Vec<(usize, u64)>>,
}

/// The state of a stage.
#[derive(PartialEq, Eq)]
pub struct Image {
    bytes: Vec<u8>,
    number: u64,
}

/// What is to be seen of a buffer: the numbers of the live events, and of those of each snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    pub live: Vec<u64>,
    pub kept: Vec<Vec<u64>>,
}

impl Image {
    /// The words that are not the same in `other`: where they are, and what they are there.
    pub fn differences(&self, other: &Image) -> Vec<(usize, u64)> {
        let words = self.bytes.as_chunks().0.iter().zip(other.bytes.as_chunks().0);
        let differing = words.enumerate().filter(|(_, (one, other))| one != other);
        differing.map(|(index, (_, other))| (8 * index, u64::from_le_bytes(*other))).collect()
    }
}

impl Stage {
    /// One whose rings all have memory.
    pub fn new() -> Stage {
        let path = format!("/dev/shm/lookback-kills-{}", std::process::id());
        let _ = std::fs::remove_file(&path);
        let cpus = vec![true; configured_cpus()];
        let wanted = Specification {
            page_size: 4096,
            pages: PAGES,
            most_pages: MOST_PAGES,
            cpus: &cpus,
            lanes: 2,
            rings: RINGS,
            clock: Clock::Tsc,
            overwrite: true,
            identity: 1,
        };
        let file_path = CString::new(path.clone()).expect("no zero byte");
        let size = wanted.file_size().expect("a good specification") as usize;
        let segment = shm::create(&file_path, size).expect("memory for the buffer");
        let buffer = Buffer::create(segment, &wanted).expect("a segment of the right size");
        let writer = Writer::new(Buffer::new(shm::open(&file_path).expect("created")).expect("a buffer"));
        let file = File::options().read(true).write(true).open(path).expect("created");
        let stage = Stage {
            path: file_path,
            buffer,
            writer,
            file,
            number: Cell::new(0),
            next: RefCell::new(None),
            stamped: Cell::new(1),
            plan: RefCell::default(),
        };
        let holder = stage.holder();
        while holder.reserve(&stage.path).is_ok() {}
        drop(holder);
        stage
    }

    /// The whole file, and the number of its last event.
    pub fn image(&self) -> Image {
        let mut bytes = vec![0; self.file.metadata().expect("open").len() as usize];
        self.file.read_exact_at(&mut bytes, 0).expect("as long as it says");
        Image { bytes, number: self.number.get() }
    }

    /// Makes it what it was.
    pub fn restore(&self, image: &Image) {
        self.file.write_all_at(&image.bytes, 0).expect("it has memory");
        self.number.set(image.number);
        self.next.take();
    }

    /// Says when the last event of each block was.
    pub fn set_last_time(&self, time: u64) {
        for block in 0..self.buffer.geometry().blocks() {
            self.poke(block_offset(block) + offset_of!(Block, last_time), time);
        }
    }

    /// Stores a word of the file.
    pub fn poke(&self, offset: usize, word: u64) {
        self.file.write_all_at(&word.to_le_bytes(), offset as u64).expect("it has memory");
    }

    /// A word of the file.
    pub fn peek(&self, offset: usize) -> u64 {
        let mut word = [0; 8];
        self.file.read_exact_at(&mut word, offset as u64).expect("it is there");
        u64::from_le_bytes(word)
    }

    /// A place among the holders for the calling thread.
    pub fn holder(&self) -> Holder<'_> {
        self.buffer.holder(identity()).expect("a place")
    }

    /// Writes the next event by way of the CPU, or of a lane.
    pub fn write(&self, lane: bool) {
        self.try_to_write(lane).expect("it fits");
    }

    /// Writes the next event, which may not fit.
    pub fn try_to_write(&self, lane: bool) -> Result<(), NotWritten> {
        self.writer.write(writer_thread(lane), self.take_next().event())
    }

    /// Writes the next event from registers, by the writer of such events.
    pub fn write_short(&self) {
        let mut record = self.take_next();
        let stamp = Stamp { writer: WRITER_OF_SHORT, number: self.number.get() };
        let thread = writer_thread(false);
        if !event::short(stamp).is_some_and(|event| self.writer.try_write_short(thread.area, event, None)) {
            self.writer.write(thread, record.event()).expect("it fits");
        }
    }

    /// The next event, built now if it hasn't been.
    fn take_next(&self) -> RecordBuffer<MAX_WORDS> {
        if self.next.borrow().is_none() {
            self.build_next();
        }
        self.next.take().expect("just built")
    }

    /// Builds the next event, so that writing it is all that is left to do.
    pub fn build_next(&self) {
        self.number.set(self.number.get() + 1);
        let stamp = Stamp { writer: self.stamped.get(), number: self.number.get() };
        self.next.replace(Some(event::build(stamp)));
    }

    /// Builds the next event that takes so many bytes of a page.
    pub fn build_next_of(&self, sizes: RangeInclusive<usize>) {
        let has_size = |record: &RecordBuffer<_>| sizes.contains(&page::event_size(record.len()));
        while !self.next.borrow().as_ref().is_some_and(has_size) {
            self.build_next();
        }
    }

    /// The number of the last event that was built.
    pub fn last(&self) -> u64 {
        self.number.get()
    }

    /// Says that a child writes the event that was built.
    pub fn next_is_written(&self) {
        self.next.take();
    }

    /// Somebody wants a ring, and finds out what the dead were doing with it.
    pub fn want_a_ring(&self) {
        let _ = self.holder().reserve(&self.path);
    }

    /// The events that exist. An error says what is torn, out of order or unaccounted for.
    pub fn look(&self) -> Result<Scene, String> {
        let mut scene = Scene { live: Vec::new(), kept: Vec::new() };
        for block in 0..self.buffer.geometry().blocks() {
            let read = |position, page: &mut [u8]| self.buffer.read(block, position, page);
            scene.live.extend(self.read(block, self.buffer.statistics(block), read)?);
        }
        scene.live.sort_unstable();
        let holder = self.holder();
        for snapshot in self.buffer.snapshots() {
            let held = holder.hold(snapshot).ok_or("a snapshot can't be held")?;
            let mut kept = Vec::new();
            for block in 0..self.buffer.geometry().blocks() {
                let read = |position, page: &mut [u8]| held.read(block, position, page);
                kept.extend(self.read(block, held.statistics(block), read)?);
            }
            kept.sort_unstable();
            // One who was killed before it had a block's events leaves none.
            if !kept.is_empty() {
                scene.kept.push(kept);
            }
        }
        Ok(scene)
    }

    /// The numbers of a block's events, after a check of each and of the accounts.
    fn read(
        &self,
        block: u32,
        statistics: Statistics,
        read: impl Fn(u64, &mut [u8]) -> Option<PageCopy>,
    ) -> Result<Vec<u64>, String> {
        let is_lane = block >= self.buffer.geometry().cpus;
        let mut page = vec![0; 4096];
        let (mut numbers, mut position, mut last_time) = (Vec::new(), 0, 0);
        while let Some(taken) = read(position, &mut page) {
            let mut found = 0;
            for entry in Walk::new(&page[..taken.len]) {
                let payload = &page[entry.payload..][..entry.len];
                let stamp = event::check(payload, is_lane).ok_or(format!("block {block}: torn event"))?;
                // One comes twice where a thread has jumped back from after its commit.
                let in_order = numbers.last().is_none_or(|last| *last <= stamp.number);
                if !in_order || entry.time < last_time {
                    return Err(format!(
                        "block {block}: event {} at {} after {numbers:?} at {last_time}",
                        stamp.number, entry.time
                    ));
                }
                numbers.push(stamp.number);
                last_time = entry.time;
                found += 1;
            }
            if found != taken.events {
                return Err(format!("block {block}: {found} events in a page that has {}", taken.events));
            }
            position = taken.next_event();
        }
        let Statistics { written, read, entries, overrun, .. } = statistics;
        let exact = written == read + entries + overrun && entries == numbers.len() as u64;
        exact.then_some(numbers).ok_or(format!("block {block}: {statistics:?}"))
    }

    /// Others go on: writers write by both ways, and what they write is seen.
    pub fn go_on_writing(&self, scene: &Scene) -> Result<(), String> {
        let first = self.number.get() + 1;
        self.buffer.set_overwrite(true);
        self.write(false);
        self.write(true);
        let after = self.look()?;
        // A full ring may have lost its oldest page over it.
        let old: Vec<u64> = after.live.iter().copied().filter(|number| *number < first).collect();
        let whole = after.live.ends_with(&[first, first + 1]) && scene.live.ends_with(&old);
        (whole && after.kept == scene.kept).then_some(()).ok_or(format!("{scene:?}, then {after:?}"))
    }

    /// Others go on: every ring comes back to the pool, and can lose its memory.
    pub fn go_on_with_the_pool(&self) -> Result<(), String> {
        let holder = self.holder();
        for snapshot in self.buffer.snapshots() {
            holder.discard(snapshot).then_some(()).ok_or("a snapshot can't be freed")?;
        }
        while holder.reserve(&self.path).is_ok() {}
        let spare = self.buffer.spare_rings();
        (spare == RINGS as usize - 1).then_some(()).ok_or(format!("{spare} spare rings"))?;
        let released = std::array::from_fn(|_| holder.release());
        let all = [Released::Freed, Released::Freed, Released::NothingSpare];
        (released == all).then_some(()).ok_or(format!("{released:?}"))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().expect("ASCII"));
    }
}

impl Stage {
    /// KB of memory that the file takes.
    pub fn kb(&self) -> u64 {
        self.file.metadata().expect("open").blocks() / 2
    }
}

/// What the calling thread is called as a lane's owner and as a holder.
pub fn identity() -> u64 {
    // SAFETY: always allowed.
    unsafe { libc::gettid() as u64 | NAMESPACE }
}

/// Where a block is in the file.
pub fn block_offset(block: u32) -> usize {
    BLOCKS_OFFSET as usize + block as usize * size_of::<Block>()
}

/// How the calling thread writes: by way of its CPU, or of a lane.
fn writer_thread(lane: bool) -> WriterThread {
    let area = if lane { None } else { rseq::Area::current() };
    WriterThread { area, identity: identity() }
}

/// Makes the calling thread stay on a CPU.
pub fn go_to_cpu(cpu: usize) {
    // SAFETY: plain system calls on the thread itself.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0);
    }
}

/// The CPU that the calling thread is on.
pub fn current_cpu() -> usize {
    // SAFETY: always allowed.
    usize::try_from(unsafe { libc::sched_getcpu() }).expect("a CPU")
}

/// CPUs that there may be.
pub fn configured_cpus() -> usize {
    // SAFETY: always allowed.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }).unwrap_or(1)
}
