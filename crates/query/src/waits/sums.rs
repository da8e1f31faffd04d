//! Waits, counted by thread and by what they were for.

use super::{OffCpu, WaitObject};
use crate::pairs::FoundPair;
use crate::{DurationSample, Durations};
use foldhash::HashMap;
use std::cmp::Reverse;
use std::rc::Rc;

/// All waits of a thread.
#[derive(Debug)]
pub struct ThreadWaits {
    /// The thread.
    pub tid: i32,
    /// By what they were for, the longest together first.
    pub objects: Vec<ObjectWaits>,
    /// How long it didn't run, in these waits or elsewhere; where that is known.
    pub off: Option<OffCpu>,
}

/// The waits of a thread for one thing.
#[derive(Debug)]
pub struct ObjectWaits {
    /// What they were for.
    pub object: WaitObject,
    /// How long each took.
    pub durations: Durations,
    /// How many of them were not over.
    pub unfinished: u64,
    /// How long the thread didn't run meanwhile, as far as that is known.
    pub off: OffCpu,
    /// On whom, the longest together first. Of waits that are not here it isn't known.
    pub peers: Vec<PeerWaits>,
}

/// The waits that another thread had to do with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerWaits {
    /// Which thread, and why.
    pub peer: WaitPeer,
    /// How many waits.
    pub count: u64,
    /// How long they took together, in nanoseconds.
    pub total: u64,
    /// How many other threads may have had to do with one of them, at most.
    pub others: usize,
}

/// A thread that others wait on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaitPeer {
    /// The thread.
    pub tid: i32,
    /// What it had to do with the wait.
    pub cause: WaitCause,
}

/// What a thread has to do with another one's wait.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitCause {
    /// It held the lock.
    Holder,
    /// It has ended the wait by this call of libc's.
    Call(Rc<str>),
    /// It has woken the thread, as the kernel has said.
    Waking,
    /// It was to end, or has ended.
    End,
}

impl ThreadWaits {
    /// How many waits.
    pub fn count(&self) -> u64 {
        self.objects.iter().map(|object| object.durations.count()).sum()
    }

    /// How long they took together, in nanoseconds.
    pub fn total(&self) -> u64 {
        self.objects.iter().map(|object| object.durations.total()).sum()
    }

    /// How long it didn't run, but in none of these waits.
    pub fn off_elsewhere(&self) -> Option<OffCpu> {
        let mut known = OffCpu::default();
        self.objects.iter().for_each(|object| known += object.off);
        self.off.map(|off| off - known)
    }
}

/// A wait.
#[derive(Debug)]
pub(super) struct Wait {
    /// For what.
    pub(super) object: WaitObject,
    /// Of which thread, from when on and how long.
    pub(super) pair: FoundPair,
    /// How long the thread didn't run in it.
    pub(super) off: OffCpu,
    /// On which thread, and so many others.
    pub(super) peer: Option<(WaitPeer, usize)>,
    pub(super) is_over: bool,
}

impl ObjectWaits {
    /// How long the longest took.
    pub fn longest(&self) -> u64 {
        self.durations.longest().first().map_or(0, |sample| sample.length)
    }
}

/// Waits while they come.
#[derive(Debug, Default)]
pub(super) struct WaitSums {
    objects: HashMap<(i32, WaitObject), ObjectSum>,
}

#[derive(Debug, Default)]
struct ObjectSum {
    durations: Durations,
    unfinished: u64,
    off: OffCpu,
    peers: HashMap<WaitPeer, PeerSum>,
}

#[derive(Debug, Default)]
struct PeerSum {
    count: u64,
    total: u64,
    others: usize,
}

impl WaitSums {
    /// Counts a wait.
    pub(super) fn add(&mut self, wait: Wait) {
        let Wait { object, pair: FoundPair { start, length, pid, .. }, off, peer, is_over } = wait;
        let sum = self.objects.entry((pid, object)).or_default();
        sum.durations.add(DurationSample { length, start, pid, holder: None });
        sum.unfinished += u64::from(!is_over);
        sum.off += off;
        if let Some((peer, others)) = peer {
            let sum = sum.peers.entry(peer).or_default();
            sum.count += 1;
            sum.total += length;
            sum.others = sum.others.max(others);
        }
    }

    /// What was counted, in order, and what is known of more threads: how long each didn't run.
    pub(super) fn finish(
        self,
        more: impl Iterator<Item = i32>,
        off: impl Fn(i32) -> Option<OffCpu>,
    ) -> Vec<ThreadWaits> {
        let mut threads: HashMap<i32, Vec<ObjectWaits>> = HashMap::default();
        for ((tid, object), sum) in self.objects {
            let ObjectSum { mut durations, unfinished, off, peers } = sum;
            durations.sort();
            let peer = |(peer, sum): (WaitPeer, PeerSum)| {
                let PeerSum { count, total, others } = sum;
                PeerWaits { peer, count, total, others }
            };
            let mut peers: Vec<PeerWaits> = peers.into_iter().map(peer).collect();
            peers.sort_by(|one, other| (other.total, &one.peer).cmp(&(one.total, &other.peer)));
            threads.entry(tid).or_default().push(ObjectWaits { object, durations, unfinished, off, peers });
        }
        for tid in more {
            threads.entry(tid).or_default();
        }
        let mut threads: Vec<ThreadWaits> =
            threads.into_iter().map(|(tid, objects)| ThreadWaits { tid, objects, off: off(tid) }).collect();
        for thread in &mut threads {
            thread.objects.sort_by(|one, other| {
                let key = |object: &ObjectWaits| object.durations.total();
                key(other).cmp(&key(one)).then_with(|| one.object.cmp(&other.object))
            });
        }
        threads.sort_by_key(|thread| (Reverse(thread.total()), Reverse(thread.off), thread.tid));
        threads
    }
}
