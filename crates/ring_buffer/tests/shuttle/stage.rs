//! A buffer in a known state, and the laws that hold in it whatever has been done at the same time.

use crate::identity::{alive, dead};
use abi::buffer::{BLOCKS_OFFSET, Block, BufferHeader, Clock, Kept, KeptState, KeptWord, Ring};
use ring_buffer::{Buffer, Held, Holder, NotWritten, RecordBuffer, Snapshot, Specification};
use ring_buffer::{PageCopy, Walk, Writer, WriterThread};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::File;
use std::mem::offset_of;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, MutexGuard};

/// Rings of each block: the live one and two for snapshots.
pub const RINGS: usize = 3;
/// Lanes. No CPU has pages, so all events go there.
pub const LANES: u32 = 2;
/// Pages of a CPU that has some; of a lane as many, for they are few.
pub const PAGES: u32 = 4;
/// The most pages of a CPU: six for a lane.
pub const MOST_PAGES: u32 = 24;
/// Who looks when all others are gone.
const LAST: usize = 4;

/// A word whose changes can be torn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Control,
    /// The pool's entries: their words and times.
    Entries,
    /// The first holder's place.
    Holder,
    /// Who owns the first lane, and where on the stack.
    Owner,
    /// `next_event` and `read` of the first lane's first ring.
    Position,
    /// The first lane's parts.
    Parts,
}

/// A buffer file, mapped. It is gone when the test ends.
pub struct Stage {
    pub path: CString,
    pub buffer: Buffer,
    writer: Writer,
    /// Where the mappings of the buffer and of the writer start.
    bases: [usize; 2],
    file: File,
    /// What it starts with.
    start: Mutex<(Vec<u8>, Events)>,
    events: Mutex<Events>,
    number: AtomicU64,
}

/// What is known of the events: their numbers.
#[derive(Debug, Default, Clone)]
pub struct Events {
    /// Those that were written.
    pub written: Vec<u64>,
    /// Those that somebody has consumed.
    pub consumed: Vec<u64>,
    /// What holders have found in snapshots.
    pub seen: Vec<(Snapshot, Vec<u64>)>,
    /// Rings that were given memory.
    pub reserved: usize,
    /// Events that were dropped because there was no lane.
    pub no_lane: u64,
    /// Whether some were dropped: cleared, or with a snapshot.
    pub are_dropped: bool,
}

impl Stage {
    /// One whose rings all have memory.
    pub fn new() -> Stage {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let path = format!("/dev/shm/lookback-shuttle-{}-{number}", std::process::id());
        let wanted = Specification {
            page_size: 4096,
            pages: PAGES,
            most_pages: MOST_PAGES,
            cpus: &[false],
            lanes: LANES,
            rings: RINGS as u32,
            clock: Clock::Counter,
            overwrite: true,
            identity: 1,
        };
        let name = CString::new(path.clone()).expect("no zero byte");
        let size = wanted.file_size().expect("a good specification") as usize;
        let segment = shm::create(&name, size).expect("memory for the buffer");
        let base = segment.base().addr();
        let buffer = Buffer::create(segment, &wanted).expect("a segment of the right size");
        let segment = shm::open(&name).expect("just created");
        let bases = [base, segment.base().addr()];
        let writer = Writer::new(Buffer::new(segment).expect("a buffer"));
        let file = File::options().read(true).write(true).open(path).expect("just created");
        let stage = Stage {
            path: name,
            buffer,
            writer,
            bases,
            file,
            start: Mutex::default(),
            events: Mutex::default(),
            number: AtomicU64::new(0),
        };
        stage.reserve_all();
        stage
    }

    /// Says that this is what the buffer starts with.
    pub fn keep(&self) {
        let mut bytes = vec![0; self.file.metadata().expect("open").len() as usize];
        self.file.read_exact_at(&mut bytes, 0).expect("as long as it says");
        *self.start.lock().expect("not poisoned") = (bytes, self.events().clone());
    }

    /// Makes it what it started with.
    pub fn restore(&self) {
        let start = self.start.lock().expect("not poisoned");
        self.file.write_all_at(&start.0, 0).expect("it has memory");
        *self.events() = start.1.clone();
    }

    /// The addresses of a word, in each of the mappings.
    pub fn addresses(&self, word: Word) -> [Range<usize>; 2] {
        let lane = BLOCKS_OFFSET as usize + size_of::<Block>() * self.buffer.geometry().cpus as usize;
        let (offset, len) = match word {
            Word::Control => (offset_of!(BufferHeader, control), 8),
            Word::Entries => (offset_of!(BufferHeader, kept), size_of::<[Kept; RINGS]>()),
            Word::Holder => (offset_of!(BufferHeader, holders), 8),
            Word::Owner => (lane + offset_of!(Block, owner), 16),
            Word::Position => (lane + offset_of!(Block, rings) + offset_of!(Ring, next_event), 16),
            Word::Parts => (lane + offset_of!(Block, parts), 8),
        };
        self.bases.map(|base| base + offset..base + offset + len)
    }

    /// Stores a word of the header.
    pub fn poke(&self, offset: usize, word: u64) {
        self.file.write_all_at(&word.to_le_bytes(), offset as u64).expect("it has memory");
    }

    /// A word of the header.
    pub fn word(&self, offset: usize) -> u64 {
        let mut word = [0; 8];
        self.file.read_exact_at(&mut word, offset as u64).expect("it is there");
        u64::from_le_bytes(word)
    }

    /// What is known of the events. Nobody keeps it while others go on.
    pub fn events(&self) -> MutexGuard<'_, Events> {
        self.events.try_lock().expect("nobody keeps it")
    }

    /// Writes an event to some lane.
    pub fn write(&self, who: usize) -> Result<(), NotWritten> {
        self.write_as(alive(who))
    }

    fn write_as(&self, identity: u64) -> Result<(), NotWritten> {
        let number = self.number.fetch_add(1, Relaxed) + 1;
        let mut record = RecordBuffer::<4>::new();
        record.push(abi::common::word(300, 0, 0, 1));
        record.push(number);
        record.push(!number);
        let written = self.writer.write(WriterThread { area: None, identity }, record.event());
        match written {
            Ok(()) => self.events().written.push(number),
            Err(_) => self.events().no_lane += 1,
        }
        written
    }

    /// A place among the holders.
    pub fn holder(&self, who: usize) -> Holder<'_> {
        self.buffer.holder(alive(who)).expect("a place")
    }

    /// A snapshot that someone holds who has died over it.
    pub fn hold_by_the_dead(&self, snapshot: Snapshot) {
        let holder = self.buffer.holder(dead()).expect("a place");
        std::mem::forget(holder.hold(snapshot).expect("kept"));
        std::mem::forget(holder);
    }

    /// Takes each page that there is, once.
    pub fn consume(&self) {
        let mut page = vec![0; 4096];
        for block in 0..self.buffer.geometry().blocks() {
            while let Some(taken) = self.buffer.consume(block, &mut page) {
                self.events().consumed.extend(numbers(&page, taken));
            }
        }
    }

    /// The numbers of the events that a snapshot has.
    pub fn kept(&self, held: &Held<'_>) -> Vec<u64> {
        self.read(|block, position, page| held.read(block, position, page))
    }

    /// The numbers of the live events.
    pub fn live(&self) -> Vec<u64> {
        self.read(|block, position, page| self.buffer.read(block, position, page))
    }

    fn read(&self, read: impl Fn(u32, u64, &mut [u8]) -> Option<PageCopy>) -> Vec<u64> {
        let mut page = vec![0; 4096];
        let mut found = Vec::new();
        for block in 0..self.buffer.geometry().blocks() {
            let mut position = 0;
            while let Some(taken) = read(block, position, &mut page) {
                found.extend(numbers(&page, taken));
                position = taken.next_event();
            }
        }
        found
    }

    /// The laws, for someone who comes when all others are gone.
    pub fn check(&self) {
        self.check_pool();
        self.check_events();
        self.go_on();
    }

    /// A ring is used for one thing, and nobody is left who changes or holds one (R13, R14).
    fn check_pool(&self) {
        let segment = shm::open(&self.path).expect("it was created");
        let header: &BufferHeader = segment.get(0).expect("a header");
        let live = self.buffer.control().ring();
        for (ring, kept) in header.kept.iter().enumerate().take(RINGS).filter(|(ring, _)| *ring != live) {
            let word = KeptWord(kept.word.load(Relaxed));
            let at_rest = !word.is(KeptState::Changing) && !word.is(KeptState::Taking) && !word.is_held();
            assert!(at_rest, "R14: ring {ring} is {:?}, held by {:#x}", word.state(), word.0);
        }
        assert!(self.buffer.capacity(self.buffer.geometry().cpus) > 0, "R13: the live ring has no memory");
        let owned = |block: &Block| ![0, dead()].contains(&block.owner.load(Relaxed));
        let lanes = (0..self.buffer.geometry().blocks()).filter_map(|block| {
            segment.get::<Block>(BLOCKS_OFFSET + u64::from(block) * size_of::<Block>() as u64)
        });
        assert_eq!(lanes.filter(|lane| owned(lane)).count(), 0, "R9: a lane stays taken");
    }

    /// Each event is somewhere, once, and the accounts are exact (R5, R8).
    fn check_events(&self) {
        let events = self.events().clone();
        let mut found = self.live();
        let holder = self.holder(LAST);
        for snapshot in self.buffer.snapshots() {
            let held = holder.hold(snapshot).expect("R14: a snapshot that is kept can be held");
            let kept = self.kept(&held);
            let counted: u64 = self.blocks().map(|block| held.statistics(block).entries).sum();
            assert_eq!(counted, kept.len() as u64, "R5: what {snapshot:?} has, and what is there: {kept:?}");
            let seen =
                events.seen.iter().filter(|(seen, _)| *seen == snapshot).flat_map(|(_, numbers)| numbers);
            let gone: Vec<&u64> = seen.filter(|number| !kept.contains(number)).collect();
            assert!(gone.is_empty(), "R14: {snapshot:?} had {gone:?} when it was held, and has {kept:?}");
            found.extend(kept);
        }
        found.extend(&events.consumed);
        let once: BTreeSet<u64> = found.iter().copied().collect();
        assert_eq!(once.len(), found.len(), "R8: an event is there twice: {found:?}");
        let written: BTreeSet<u64> = events.written.iter().copied().collect();
        assert!(once.is_subset(&written), "R2: {found:?}, and written were {written:?}");
        assert!(events.are_dropped || once == written, "R13: {found:?}, and written were {written:?}");
        let mut dropped = 0;
        for block in self.blocks() {
            let of_block = self.buffer.statistics(block);
            let there = of_block.read + of_block.entries + of_block.overrun;
            assert_eq!(of_block.written, there, "R5: block {block}: {of_block:?}");
            dropped += of_block.dropped.iter().sum::<u64>();
        }
        assert_eq!(dropped, events.no_lane, "R5: events that were dropped");
    }

    /// Others go on: they write, take snapshots, and every ring comes back to the pool (R10, R13).
    fn go_on(&self) {
        self.write(LAST).expect("a lane");
        let last = *self.events().written.last().expect("just written");
        assert!(self.live().contains(&last), "R3: what was written is not live");
        let holder = self.holder(LAST);
        for snapshot in self.buffer.snapshots() {
            assert!(holder.discard(snapshot), "R14: {snapshot:?} can't be freed");
        }
        drop(holder);
        self.reserve_all();
        assert_eq!(self.buffer.spare_rings(), RINGS - 1, "R13: a ring has not come back");
    }

    fn reserve_all(&self) {
        let holder = self.holder(LAST);
        while holder.reserve(&self.path).is_ok() {}
    }

    fn blocks(&self) -> Range<u32> {
        0..self.buffer.geometry().blocks()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().expect("ASCII"));
    }
}

/// The numbers of the events in a page, each of which is whole.
fn numbers(page: &[u8], taken: PageCopy) -> Vec<u64> {
    let number = |payload: &[u8]| {
        let (words, _) = payload.as_chunks();
        let [.., number, check] = words else { panic!("R2: {payload:?} is no event") };
        let number = u64::from_le_bytes(*number);
        assert_eq!(u64::from_le_bytes(*check), !number, "R2: a torn event");
        number
    };
    let numbers: Vec<u64> =
        Walk::new(page).map(|found| number(&page[found.payload..][..found.len])).collect();
    assert_eq!(numbers.len() as u64, taken.events, "R6: events of a page");
    numbers
}
