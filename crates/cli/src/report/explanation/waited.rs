//! Who waited for whom.

use super::super::label;
use super::super::waits::{self, object_name, peer_text};
use super::part::{ExplanationPart, PartLine, first_of};
use crate::duration::duration;
use crate::json::Json;
use crate::number::{count, grouped};
use query::{ObjectWaits, ThreadWaits, WaitKind, WaitObject, WaitPeer, Waits};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use trace_data::info::TraceInfo;
use trace_data::text::Tasks;

/// The waits of a process for one thing.
#[derive(Debug, Default)]
struct SharedWaits {
    /// How many were over, how long they took together, and the longest of them.
    count: u64,
    total: u64,
    longest: u64,
    unfinished: u64,
    /// The threads that waited, each with how long it did.
    threads: BTreeMap<i32, u64>,
    /// On whom, each with how long it was waited on, and how many others it may have been instead.
    peers: BTreeMap<WaitPeer, (u64, usize)>,
}

impl SharedWaits {
    fn add(&mut self, tid: i32, waits: &ObjectWaits) {
        self.count += waits.durations.count();
        self.total += waits.durations.total();
        self.longest = self.longest.max(waits.longest());
        self.unfinished += waits.unfinished;
        *self.threads.entry(tid).or_default() += waits.durations.total();
        for peer in &waits.peers {
            let (total, others) = self.peers.entry(peer.peer.clone()).or_default();
            *total += peer.total;
            *others = peer.others.max(*others);
        }
    }

    /// Who waited, how often, and on whom most of the time.
    fn details(&self, tasks: &dyn Tasks) -> String {
        let waiter = self.threads.iter().max_by_key(|(_, total)| **total);
        let mut text = waiter.map_or_else(String::new, |(tid, _)| label(tasks, *tid));
        if self.threads.len() > 1 {
            text += &format!(" and {}", count(self.threads.len() as u64 - 1, "other", "others"));
        }
        if self.count > 1 {
            text += &format!(", {} times, {} at most", grouped(self.count), duration(self.longest));
        }
        if let Some((peer, (_, others))) = self.peers.iter().max_by_key(|(_, (total, _))| *total) {
            text += &format!(", on {}", peer_text(peer, *others, tasks));
        }
        if self.unfinished > 0 {
            text += &format!(", {} not over", self.unfinished);
        }
        text
    }
}

/// Waits for locks and for others, the longest together first: a line for each thing, up to `most`.
pub(in crate::report) fn part(
    all: &Waits,
    threads: &[ThreadWaits],
    most: usize,
    trace: &TraceInfo<'_>,
) -> ExplanationPart {
    let mut shared: BTreeMap<(i32, &WaitObject), SharedWaits> = BTreeMap::new();
    for thread in threads {
        let process = trace.tasks.tgid(thread.tid).unwrap_or(thread.tid);
        for waits in thread.objects.iter().filter(|waits| is_for_others(waits)) {
            shared.entry((process, &waits.object)).or_default().add(thread.tid, waits);
        }
    }
    let mut shown: Vec<_> = shared.into_iter().collect();
    shown.sort_by_key(|(_, waits)| Reverse(waits.total));
    let line = |((_, object), waits): &((i32, &WaitObject), SharedWaits)| PartLine {
        figure: duration(waits.total),
        what: object_name(object),
        details: waits.details(trace.tasks),
        ..PartLine::default()
    };
    let unknown = (all.uncertain() > 0).then(|| {
        let waits = count(all.uncertain(), "wait", "waits");
        format!("{waits} not measured: events were lost between the start and the end")
    });
    let locks = (!all.knows_locks()).then(|| {
        "the trace has no waits for locks: `-e 'lock:*' -e lookback:contention_holder` records them"
            .to_owned()
    });
    let others = usize::from(unknown.is_some()) + usize::from(locks.is_some());
    let (first, more) = first_of(&shown, most, others, "--waits shows all");
    let lines = first.iter().map(line).collect();
    let notes = more.into_iter().chain(unknown).chain(locks).collect();
    ExplanationPart { title: "Waited for locks and for others".to_owned(), lines, notes }
}

/// Whether it is a lock that was waited for, or what another thread does; not work, and not time.
fn is_for_others(waits: &ObjectWaits) -> bool {
    match waits.object.kind {
        WaitKind::Mutex
        | WaitKind::ReadWriteLock
        | WaitKind::SpinLock
        | WaitKind::Lock
        | WaitKind::Condition
        | WaitKind::Barrier
        | WaitKind::Semaphore
        | WaitKind::Once => true,
        WaitKind::Descriptor => !waits.peers.is_empty(),
        WaitKind::Thread
        | WaitKind::Child
        | WaitKind::Sleep
        | WaitKind::Stream
        | WaitKind::Poll
        | WaitKind::Signal
        | WaitKind::Lookup => false,
    }
}

pub(super) fn json(all: &Waits, threads: &[ThreadWaits], trace: &TraceInfo<'_>) -> Json {
    let objects = threads.iter().flat_map(|thread| thread.objects.iter().map(|object| (thread.tid, object)));
    let object =
        |(tid, waits): (i32, &ObjectWaits)| waits::json(tid, waits, all.knows_switches(), trace.tasks);
    Json::List(objects.map(object).collect())
}
