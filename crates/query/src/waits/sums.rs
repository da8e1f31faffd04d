//! Waits, counted by thread and by what they were for.

use super::WaitObject;
use crate::{DurationSample, Durations};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

/// All waits of a thread.
#[derive(Debug)]
pub struct ThreadWaits {
    /// The thread.
    pub tid: i32,
    /// By what they were for, the longest together first.
    pub objects: Vec<ObjectWaits>,
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

    /// How long the longest took.
    pub fn longest(&self) -> u64 {
        self.objects.iter().map(ObjectWaits::longest).max().unwrap_or(0)
    }
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
    peers: HashMap<WaitPeer, PeerSum>,
}

#[derive(Debug, Default)]
struct PeerSum {
    count: u64,
    total: u64,
    others: usize,
}

impl WaitSums {
    /// Counts a wait for `object`, on a thread and so many others.
    pub(super) fn add(
        &mut self,
        object: WaitObject,
        sample: DurationSample,
        peer: Option<(WaitPeer, usize)>,
        is_over: bool,
    ) {
        let sum = self.objects.entry((sample.pid, object)).or_default();
        sum.durations.add(sample);
        sum.unfinished += u64::from(!is_over);
        if let Some((peer, others)) = peer {
            let sum = sum.peers.entry(peer).or_default();
            sum.count += 1;
            sum.total += sample.length;
            sum.others = sum.others.max(others);
        }
    }

    /// What was counted, in order.
    pub(super) fn finish(self) -> Vec<ThreadWaits> {
        let mut threads: HashMap<i32, Vec<ObjectWaits>> = HashMap::new();
        for ((tid, object), sum) in self.objects {
            let ObjectSum { mut durations, unfinished, peers } = sum;
            durations.sort();
            let peer = |(peer, sum): (WaitPeer, PeerSum)| {
                let PeerSum { count, total, others } = sum;
                PeerWaits { peer, count, total, others }
            };
            let mut peers: Vec<PeerWaits> = peers.into_iter().map(peer).collect();
            peers.sort_by(|one, other| (other.total, &one.peer).cmp(&(one.total, &other.peer)));
            threads.entry(tid).or_default().push(ObjectWaits { object, durations, unfinished, peers });
        }
        let mut threads: Vec<ThreadWaits> =
            threads.into_iter().map(|(tid, objects)| ThreadWaits { tid, objects }).collect();
        for thread in &mut threads {
            thread.objects.sort_by(|one, other| {
                let key = |object: &ObjectWaits| object.durations.total();
                key(other).cmp(&key(one)).then_with(|| one.object.cmp(&other.object))
            });
        }
        threads.sort_by_key(|thread| (Reverse(thread.total()), thread.tid));
        threads
    }
}
