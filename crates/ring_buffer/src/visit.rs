//! Finding out that nobody is in the middle of a section that stores to a ring (R15).
//!
//! On one CPU sections exclude each other: a thread that starts one has made every other thread lose that
//! CPU since, and one that lost it in a section starts over. So any commit by a section that began after
//! the ring had gone out of use is proof that no older one is under way on that CPU. There is such a
//! commit when the block's tail is in the ring that is live now, in the generation and the number of resets
//! that are asked for now: an *adoption*. Both change when a ring becomes live, so a section that adopts
//! them began when the ring in question was no longer in use.
//!
//! Where no writer has come since, the caller goes to that CPU itself and adopts: a *visit*. That a thread
//! runs there is what shows that no other is in a section, be the CPU a virtual one that had slept. Where
//! it can't go (the CPU is offline, its cpuset forbids it) there is no proof.
//!
//! Lanes have an owner, whose write is over when it lets go or dies (R9). So to own the lane is to visit it.

use crate::buffer::Buffer;
use crate::geometry::TailPage;
use crate::holder::Holder;
use crate::section::{OnCpu, Owner};
use abi::buffer::{Block, Tail};
use core::sync::atomic::Ordering::{Acquire, Release};
use rseq::Area;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

impl Buffer {
    /// Whether the tail of `block` is seen in the ring that is live, adopted, and that is not `ring`. The
    /// caller has seen that `ring` is no longer in use (R15).
    pub(crate) fn has_left(&self, block: &Block, ring: usize) -> bool {
        let control = self.acquire_control();
        let elsewhere = control.ring() != ring;
        elsewhere && self.look(block, control).is_ok_and(|seen| seen.has_adopted())
    }

    /// Whether the tail of `block` can still be in `generation` of `ring`.
    ///
    /// If it is not there now it does not come back: a section that adopts a generation which is over may
    /// still be under way, but no event can be committed after it.
    // Acquire: pairs with the commit of the section that has moved the tail, and with its store of the
    // generation before (R2).
    pub(crate) fn is_in(&self, block: &Block, ring: usize, generation: u64) -> bool {
        let tail = Tail(block.tail.load(Acquire));
        let Ok(place) = TailPage::of(tail, block, self.geometry(), self.segment()) else { return false };
        let there = self.ring(block, ring).is_some_and(|ring| core::ptr::eq(place.ring, ring));
        there && place.ring.generation.load(Acquire) as u32 == generation as u32
    }
}

impl Holder<'_> {
    /// Goes where `block` is written and brings its tail to the live ring. False if that can't be done.
    // Release: pairs with the claim of the lane's next owner (R9).
    pub(crate) fn visit(&self, block: u32) -> bool {
        let Some(words) = self.buffer.block(block) else { return false };
        if block < self.buffer.geometry().cpus {
            return self.visit_cpu(block, words);
        }
        let owned = self.buffer.claim_lane(words, self.identity());
        let followed = owned && self.buffer.follow(words, &Owner);
        if owned {
            words.owner.store(0, Release);
        }
        followed
    }

    fn visit_cpu(&self, cpu: u32, block: &Block) -> bool {
        let mut there = CpuSet::new();
        if cpu as usize >= CpuSet::MAX_CPU {
            return false;
        }
        there.set(cpu as usize);
        let (Some(area), Ok(before)) = (Area::current(), sched_getaffinity(None)) else { return false };
        if sched_setaffinity(None, &there).is_err() {
            return false;
        }
        let followed = area.cpu() == Some(cpu) && self.buffer.follow(block, &OnCpu { area, cpu });
        // It was allowed a moment ago, so it is allowed again, unless the cpuset has just changed.
        let _ = sched_setaffinity(None, &before);
        followed
    }
}
