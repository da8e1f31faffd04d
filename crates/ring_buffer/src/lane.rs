//! Lanes: where events go that can't be written under rseq.
//!
//! A lane is a block like a CPU's, with one writer at a time: who wants to write claims it, writes,
//! and lets it go. So the steps are the same, and nothing has to be restarted. An owner that was killed
//! leaves the lane in a state from which the next one goes on, as on a CPU (R7).
//!
//! A lane is claimed with the 16-byte compare-exchange, which orders as AcqRel, and freed with Release: so an
//! owner sees what the last one did, and its words are its own (R9). That is why Relaxed is enough for them.
//!
//! A signal handler that interrupts an owner finds the lane claimed and claims another. A handler that ends
//! by longjmp abandons a lane that nobody writes to, while its owner lives. The owner's next write finds that
//! out by where its own frame is on the stack, see [`Claimant::overlaps`].
//!
//! A lane is not a CPU, so each of its events says in 8 bytes before its payload which CPU it was
//! recorded on. Readers take that off and merge the event into its CPU by time.

use crate::buffer::Buffer;
use crate::cpu::current_cpu;
use crate::not_written::NotWritten;
use crate::section::{Owner, Publisher};
use crate::steps::Step;
use crate::thread::WriterThread;
use crate::writable::Writable;
use abi::atomic::AtomicU32;
use abi::buffer::{Block, DropReason, Tail};
use abi::control::TIDS;
use abi::page;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::{Relaxed, Release};
use rseq::Commit;
use rustix::process::{Pid, test_kill_process};
use shm::compare_exchange_pair;

/// Bytes before an event's payload in a lane: the CPU.
pub(crate) const LEAD: usize = 8;

/// Bytes of a write's frame that are compared with an older one's. The more, the more abandoned writes are
/// found; it is the stack of the traced program.
const FRAME_SIZE: usize = 512;

/// A part of the stack.
type WriteFrame = [MaybeUninit<u8>; FRAME_SIZE];

/// How often an owner looks again. Each look brings it a step nearer; only changes of the control word
/// can set it back.
const TRIES: u32 = 64;

impl Buffer {
    /// Writes an event to some lane. `may_ask` says whether the calling thread may ask the kernel whether an
    /// owner is alive.
    // Release: pairs with the claim of the next owner, which then sees the whole event (R9).
    pub(crate) fn write_to_lane(
        &self,
        thread: WriterThread,
        event: impl Writable,
        may_ask: fn() -> bool,
    ) -> Result<(), NotWritten> {
        let cpu = current_cpu();
        let frame = [const { MaybeUninit::uninit() }; FRAME_SIZE];
        let claimant = Claimant::writing(thread.identity, &frame);
        let Some(lane) = self.claim(claimant, may_ask) else {
            if self.control().is_off() {
                return Err(NotWritten::Off);
            }
            self.count_drop(cpu, DropReason::NoLane);
            return Err(NotWritten::Dropped(DropReason::NoLane));
        };
        let written = self.write_as_owner(lane, cpu, event);
        lane.owner.store(0, Release);
        // Up to here nobody else's frame can be where this one is.
        black_box(&frame);
        if let Err(NotWritten::Dropped(reason)) = written {
            self.count_drop(cpu, reason);
        }
        written
    }

    /// The lanes.
    fn lanes(&self) -> impl Iterator<Item = &Block> {
        (self.geometry().cpus..self.geometry().blocks()).filter_map(|block| self.block(block))
    }

    /// Claims a lane: a free one, or one that the claimant has abandoned, or one whose owner is dead.
    fn claim(&self, claimant: Claimant, may_ask: fn() -> bool) -> Option<&Block> {
        let free = self.lanes().find(|lane| claimant.take(lane, 0) || claimant.take_back(lane));
        free.or_else(|| self.lanes().find(|lane| may_ask() && claimant.take_from_dead(lane)))
    }

    /// Claims this lane for `identity`, which is not in the middle of a write.
    pub(crate) fn claim_lane(&self, lane: &Block, identity: u64) -> bool {
        let claimant = Claimant { identity, frame: 0 };
        claimant.take(lane, 0) || claimant.take_from_dead(lane)
    }

    /// Writes to a lane that the caller owns.
    fn write_as_owner(&self, lane: &Block, cpu: u32, event: impl Writable) -> Result<(), NotWritten> {
        let len = LEAD + event.head().len as usize;
        let size = page::event_size(len);
        for _ in 0..TRIES {
            match self.prepare(lane, &Owner, size as u64) {
                Step::Ready(time) => {
                    let time = self.event_time(time);
                    return self
                        .append_as_owner(lane, cpu, event, len, time)
                        .ok_or(NotWritten::Dropped(DropReason::Damaged));
                }
                Step::Again | Step::Aborted => {}
                Step::Off => return Err(NotWritten::Off),
                Step::NoMemory => return Err(NotWritten::Dropped(DropReason::NoLane)),
                Step::NotMapped => return Err(NotWritten::NotMapped),
                Step::Drop(reason) => return Err(NotWritten::Dropped(reason)),
            }
        }
        Err(NotWritten::Dropped(DropReason::Contended))
    }

    /// Stores the event after the lane's tail and commits it. `prepare` has found that it fits the page.
    // Relaxed: the words are the owner's (R9). Readers look at the payload only below the tail, which the
    // commit moves by one 16-byte store after all others (R2): it pairs with their Acquire load of the tail.
    fn append_as_owner(
        &self,
        lane: &Block,
        cpu: u32,
        event: impl Writable,
        len: usize,
        time: u64,
    ) -> Option<()> {
        let tail = Tail(lane.tail.load(Relaxed));
        let delta = time.wrapping_sub(lane.last_time.load(Relaxed));
        let size = page::event_size(len);
        let start = tail.position() + page::HEADER_SIZE as u64;
        let mut words = self.segment().slice::<AtomicU32>(start, size / 4)?.iter();
        let mut put = |value: u32| {
            if let Some(word) = words.next() {
                word.store(value, Relaxed);
            }
        };
        if len > page::MAX_SMALL_PAYLOAD {
            put(page::event_word(0, delta));
            put((size - page::EVENT_HEADER) as u32);
        } else {
            put(page::event_word(((size - page::EVENT_HEADER) / 4) as u32, delta));
        }
        for word in core::iter::once(u64::from(cpu)).chain(event.words()) {
            put(word as u32);
            put((word >> 32) as u32);
        }
        let commit = Commit { address: lane.tail.as_ptr(), low: tail.advance(size as u64).0, high: time };
        // SAFETY: the tail is 16-byte aligned and the caller owns the lane (R9).
        unsafe { Owner.publish(&[], &[], commit) };
        Some(())
    }
}

/// A thread that wants a lane.
#[derive(Debug, Clone, Copy)]
struct Claimant {
    identity: u64,
    /// Where the write's frame begins; 0 for one that has none.
    frame: u64,
}

impl Claimant {
    /// A thread that writes, and a part of the stack that is the write's own for as long as it claims a lane.
    fn writing(identity: u64, frame: &WriteFrame) -> Claimant {
        Claimant { identity, frame: black_box(frame).as_ptr().addr() as u64 }
    }

    /// Claims the lane from an owner, or from nobody (R9).
    // Relaxed: what is loaded is compared again by the compare-exchange, which pairs with the Release that
    // frees a lane.
    fn take(self, lane: &Block, owner: u64) -> bool {
        let seen = (owner, lane.owner_frame.load(Relaxed));
        // Most lanes that are looked at are free, or somebody's: no locked instruction to find that out.
        lane.owner.load(Relaxed) == owner
            // SAFETY: `owner` and `owner_frame` are 16 aligned bytes of atomics in a live mapping.
            && unsafe { compare_exchange_pair(lane.owner.as_ptr(), seen, (self.identity, self.frame)) }
    }

    /// Claims a lane that this thread owns already, if the write that has claimed it was abandoned (R9).
    // Relaxed: both words were stored by this thread, or are compared again by `take`.
    fn take_back(self, lane: &Block) -> bool {
        let is_own = lane.owner.load(Relaxed) == self.identity;
        is_own && self.overlaps(lane.owner_frame.load(Relaxed)) && self.take(lane, self.identity)
    }

    /// Claims a lane whose owner is dead (R9).
    // Relaxed: `take` compares the owner again.
    fn take_from_dead(self, lane: &Block) -> bool {
        let owner = lane.owner.load(Relaxed);
        is_dead(owner, self.identity) && self.take(lane, owner)
    }

    /// Whether the present write's frame lies where an older one of the same thread has been. Two frames
    /// that live don't share memory: so the older one is gone, left by longjmp, and nobody is going to
    /// return to it.
    ///
    /// That holds whatever stacks the thread has: alternate ones for signals, nested ones, coroutines'. It
    /// doesn't find every abandoned write: not one whose frame was further up or down. In doubt the lane
    /// stays claimed.
    fn overlaps(self, frame: u64) -> bool {
        frame != 0 && self.frame != 0 && self.frame.abs_diff(frame) < FRAME_SIZE as u64
    }
}

/// Whether the thread that `owner` names is known to be gone. Only one that counts in the caller's own
/// pid namespace can be judged; any doubt means alive, as where either's isn't known.
pub(crate) fn is_dead(owner: u64, identity: u64) -> bool {
    let same_namespace = owner >> 32 != 0 && owner >> 32 == identity >> 32;
    // A damaged word may name a group of processes, which is not asked for.
    // A placeholder is nobody's TID.
    let tid = i32::try_from(owner & 0xffff_ffff).ok().filter(|tid| (*tid as usize) < TIDS);
    let Some(pid) = tid.and_then(Pid::from_raw) else { return false };
    same_namespace && test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "it has no processes")]
    fn only_who_counts_in_the_same_known_namespace_can_be_judged() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let named = |namespace: u64| u64::from(child.id()) | namespace << 32;
        assert!(is_dead(named(3), named(3)));
        for (owner, judge) in [(3, 4), (0, 3), (3, 0), (0, 0)] {
            assert!(!is_dead(named(owner), named(judge)), "{owner} {judge}");
        }
        let own = u64::from(std::process::id()) | 3 << 32;
        assert!(!is_dead(own, own));
    }
}
