//! Consumers that look at events where they lie, say then how far they have come, and are killed at random
//! instants of that. Each goes on where the one before it has said that it was.

use crate::event::{self, MAX_WORDS, mix};
use crate::writers::wait_for;
use ring_buffer::{Buffer, PlacedCursor, PlacedEvent};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The most blocks that a buffer of these tests has.
const BLOCKS: usize = 1024;

/// The most events that a consumer looks at before it says how far it has come.
const MOST: usize = 300;

/// What the consumers of a block have done, in memory that outlives them.
#[derive(Debug, Default)]
struct Account {
    /// Events that were had, and are consumed.
    had: AtomicU64,
    /// What `had` is once everything is consumed before the position that one is about to say.
    then: AtomicU64,
    /// That position. 0 where none is under way.
    position: AtomicU64,
    /// The last such position.
    last: AtomicU64,
    /// Events that were said to be whole, and were not.
    torn: AtomicU64,
    /// Positions that did not follow the one before.
    disordered: AtomicU64,
    /// Events that were said to be consumed, and that nobody has seen.
    unseen: AtomicU64,
}

/// A consumer of all blocks, in a process of its own.
pub struct Consumers<'a> {
    buffer: &'a Buffer,
    accounts: &'static [Account; BLOCKS],
    child: i32,
    started: Instant,
    /// How many were killed.
    pub kills: u64,
}

impl<'a> Consumers<'a> {
    /// Starts the first one.
    pub fn start(buffer: &'a Buffer) -> Consumers<'a> {
        assert!(buffer.geometry().blocks() as usize <= BLOCKS);
        // SAFETY: fresh shared memory, zeroed, never unmapped: accounts that are all 0.
        let accounts = unsafe {
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
            let memory = libc::mmap(std::ptr::null_mut(), size_of::<[Account; BLOCKS]>(), 3, flags, -1, 0);
            assert_ne!(memory, libc::MAP_FAILED);
            &*memory.cast::<[Account; BLOCKS]>()
        };
        let child = fork_consumer(buffer, accounts);
        Consumers { buffer, accounts, child, started: Instant::now(), kills: 0 }
    }

    /// Kills the consumer if it has lived for some time, and starts another.
    pub fn tend(&mut self) {
        let life = Duration::from_micros(300 + mix(self.kills) % 3000);
        if self.started.elapsed() > life {
            self.kill();
            self.child = fork_consumer(self.buffer, self.accounts);
            self.started = Instant::now();
        }
    }

    fn kill(&mut self) {
        // SAFETY: a child of ours that has not been waited for.
        unsafe { libc::kill(self.child, libc::SIGKILL) };
        wait_for(self.child);
        self.kills += 1;
    }

    /// Kills the last one, consumes what is left, and checks that every event was had, or is counted as
    /// overwritten. How many were had, and overwritten.
    pub fn finish(mut self) -> (u64, u64) {
        self.kill();
        while consume_all(self.buffer, self.accounts) {}
        let mut sums = (0, 0);
        for (block, account) in (0..self.buffer.geometry().blocks()).zip(self.accounts) {
            let statistics = self.buffer.statistics(block);
            let had = account.had.load(Relaxed);
            let bad = [&account.torn, &account.disordered, &account.unseen].map(|bad| bad.load(Relaxed));
            assert_eq!(bad, [0; 3], "block {block}: {account:?}");
            assert_eq!((statistics.read, statistics.entries), (had, 0), "block {block}: {statistics:?}");
            assert_eq!(statistics.written, had + statistics.overrun, "block {block}: {statistics:?}");
            sums = (sums.0 + had, sums.1 + statistics.overrun);
        }
        sums
    }
}

fn fork_consumer(buffer: &Buffer, accounts: &[Account; BLOCKS]) -> i32 {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let work = || -> () {
            loop {
                consume_all(buffer, accounts);
            }
        };
        let _panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the child at once: nothing of the test's is its business.
        unsafe { libc::_exit(1) };
    }
    child
}

/// Consumes something of each block. Whether there was anything.
fn consume_all(buffer: &Buffer, accounts: &[Account; BLOCKS]) -> bool {
    let blocks = (0..buffer.geometry().blocks()).zip(accounts);
    blocks.fold(false, |any, (block, account)| any | account.consume(buffer, block))
}

impl Account {
    /// Looks at some events, and says how far it has come. Whether there were any.
    fn consume(&self, buffer: &Buffer, block: u32) -> bool {
        let Some(before) = buffer.unread(block) else { return false };
        self.settle(before.start);
        let is_lane = block >= buffer.geometry().cpus;
        let mut cursor = PlacedCursor::default();
        let mut seen = Vec::new();
        while let Some(event) = buffer.next_placed(block, &mut cursor) {
            seen.push((event.number, is_whole(&event, is_lane)));
            if seen.len() == MOST {
                break;
            }
        }
        let Some(unread) = buffer.unread(block) else { return false };
        let (start, to) = (unread.start, cursor.number());
        if to <= start {
            return false;
        }
        let whole: Vec<_> = seen.iter().filter(|(number, _)| *number >= unread.oldest).collect();
        let torn = whole.iter().filter(|(_, is_whole)| !is_whole).count() as u64;
        let lost = unread.oldest.min(to) - start;
        count(&self.torn, torn);
        count(&self.unseen, (to - start - lost).abs_diff(whole.len() as u64));
        count(&self.disordered, u64::from(start != self.last.load(Relaxed)));
        self.then.store(self.had.load(Relaxed) + whole.len() as u64, Relaxed);
        self.position.store(to, Relaxed);
        buffer.consume_to(block, start, to, lost).expect("there is no other consumer");
        self.settle(to);
        true
    }

    /// Everything before `start` is consumed: so is what was said last, or it has not been said. It may be
    /// killed anywhere in here, too.
    fn settle(&self, start: u64) {
        let position = self.position.load(Relaxed);
        if position != 0 && start >= position {
            self.had.store(self.then.load(Relaxed), Relaxed);
            self.last.store(position, Relaxed);
        }
        self.position.store(0, Relaxed);
    }
}

fn count(sum: &AtomicU64, more: u64) {
    sum.store(sum.load(Relaxed) + more, Relaxed);
}

/// Whether the words of an event belong together.
fn is_whole(event: &PlacedEvent<'_>, is_lane: bool) -> bool {
    let most = event.payload.len().min(2 * MAX_WORDS + 2);
    let bytes = |word: &abi::atomic::AtomicU32| word.load(Relaxed).to_le_bytes();
    let payload: Vec<u8> = event.payload[..most].iter().flat_map(bytes).collect();
    event::check(&payload, is_lane).is_some()
}
