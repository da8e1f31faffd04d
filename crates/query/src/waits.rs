//! What threads waited for, on whom, and how long.
//!
//! A wait is a call that can block, from its entry to its exit, whatever it did meanwhile; of a lock it is
//! from when it was not to be had until it was, where the trace has events of that. Calls that are not over
//! when their thread or the trace ends are waits, too. On whom a thread waited is known from who held the
//! lock, and from calls of others that end such waits.

mod blocking_call;
mod entering;
mod missing;
mod run_times;
mod sums;
mod thread_calls;
mod thread_handles;
mod wait_role;
mod wakers;

pub(crate) use blocking_call::reads;
pub use blocking_call::{WaitKind, WaitObject};
pub use run_times::OffCpu;
pub use sums::{ObjectWaits, PeerWaits, ThreadWaits, WaitCause, WaitPeer};

use crate::event_ids::has_happened;
use crate::pairs::{FoundPair, Pairing};
use crate::{Descriptors, LockHolder, LockWaits};
use events::{lock, switch};
use foldhash::HashMap;
use run_times::{RunTimes, StopReason};
use std::rc::Rc;
use sums::{Wait, WaitSums};
use thread_calls::{ThreadCalls, WaitingCall, held, lock_object};
use thread_handles::ThreadHandles;
use trace_data::event::EventTable;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use wait_role::WaitRole;
use wakers::{WakeKey, Wakers};

/// Collects the waits of a trace. Takes memory for each thread, for each thing that it waits for, and 8 bytes
/// for each wait.
#[derive(Debug)]
pub struct Waits {
    gaps: Gaps,
    pairing: Pairing,
    locks: LockWaits,
    descriptors: Descriptors,
    wakers: Wakers,
    handles: ThreadHandles,
    /// By event id.
    roles: HashMap<u16, Rc<WaitRole>>,
    threads: HashMap<i32, ThreadCalls>,
    runs: RunTimes,
    sums: WaitSums,
    /// Whether the trace has waits for locks: then calls on locks that didn't have to wait are none.
    knows_contention: Option<bool>,
    /// Waits that were not over, of which it isn't known whether they are still.
    uncertain: u64,
    last: u64,
}

impl Waits {
    /// Events are missing from `gaps`: what started before one may have ended in it.
    pub fn new(events: &EventTable, gaps: Gaps) -> Waits {
        Waits {
            pairing: Pairing::of(&wait_role::pairs(events), events, gaps.clone()),
            locks: LockWaits::new(gaps.clone()),
            descriptors: Descriptors::new(gaps.clone()),
            gaps,
            wakers: Wakers::default(),
            handles: ThreadHandles::default(),
            roles: HashMap::default(),
            threads: HashMap::default(),
            runs: RunTimes::default(),
            sums: WaitSums::default(),
            knows_contention: None,
            uncertain: 0,
            last: 0,
        }
    }

    /// Looks at a record. All have to come, in the order of time; waits of chosen ones are counted.
    pub fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        let find = || {
            let event = trace.events.get(record.id());
            Rc::new(event.map_or(WaitRole::Other, |event| WaitRole::of(event, trace.events)))
        };
        let begin = lock::CONTENTION_BEGIN;
        self.knows_contention.get_or_insert_with(|| has_happened(trace, begin.system, begin.name));
        let role = Rc::clone(self.roles.entry(record.id()).or_insert_with(find));
        let holder = self.locks.add(record, trace);
        let pair = self.pairing.add(record, is_chosen);
        let (tid, payload) = (record.pid(), record.payload);
        let process = |tid: i32| trace.tasks.tgid(tid).unwrap_or(tid);
        self.last = record.time;
        // Others may be recorded by one thread as another.
        if role.is_of_who_runs() {
            self.runs.has_run(tid, record.time, &self.gaps);
        }
        match &*role {
            WaitRole::Entry(call) => self.enter(record, call, is_chosen, trace),
            WaitRole::Exit(id, result) => {
                let result = result.as_ref().and_then(|field| field.integer(payload));
                self.leave(tid, *id, result, pair, holder);
            }
            WaitRole::Make => self.handles.make(tid),
            WaitRole::Made(result, thread) => {
                let handle = thread.integer(payload).filter(|_| result.integer(payload) == Some(0));
                self.handles.made(process(tid), tid, handle.map(|handle| handle as u64));
            }
            WaitRole::Started(maker, thread) => {
                if let (Some(maker), Some(tid)) = (maker.integer(payload), thread.integer(payload)) {
                    let (maker, tid) = (maker as i32, tid as i32);
                    self.runs.start(tid);
                    if process(tid) != tid {
                        self.handles.started(process(maker), maker, tid);
                    }
                }
            }
            WaitRole::Contended(address, flags) => {
                let object = address.integer(payload).zip(flags.integer(payload)).map(lock_object);
                let off = self.runs.so_far(tid, record.time);
                let state = self.threads.entry(tid).or_default();
                state.contended = object.filter(|_| is_chosen).map(|object| (object, record.time, off));
                return;
            }
            WaitRole::Waited => return self.waited_for_lock(tid, pair, holder),
            WaitRole::Switch(fields) => {
                let [previous, state, next] = fields.each_ref().map(|field| field.integer(payload));
                if let (Some(previous), Some(state), Some(next)) = (previous, state, next) {
                    // Of others only those switches are there that have to do with traced threads.
                    let is_shown = is_chosen && trace.tasks.tgid(previous as i32).is_some();
                    let reason = (StopReason::of(state), is_shown);
                    self.runs.stop(previous as i32, record.time, reason, &self.gaps);
                    self.runs.run(next as i32, record.time, &self.gaps);
                }
                return;
            }
            WaitRole::ContextSwitch(direction) => {
                let reason = match direction.integer(payload).map(|direction| direction as u32) {
                    Some(switch::IN) => return self.runs.run(tid, record.time, &self.gaps),
                    Some(switch::PREEMPTED) => StopReason::Preempted,
                    _ => StopReason::Blocked,
                };
                return self.runs.stop(tid, record.time, (reason, is_chosen), &self.gaps);
            }
            WaitRole::Waking(woken) => {
                let flags = payload.get(COMMON_FLAGS).copied().unwrap_or(0);
                if let Some(woken) = woken.integer(payload) {
                    self.runs.wake(woken as i32, tid, record.time, flags);
                }
                return;
            }
            WaitRole::End(ended, is_last) => {
                let ended = ended.integer(payload).map_or(tid, |pid| pid as i32);
                let is_last = is_last.as_ref().and_then(|field| field.integer(payload)) == Some(1);
                self.runs.end(ended);
                self.end(ended, is_last, record.time, &process);
            }
            WaitRole::Exec => drop(self.threads.remove(&tid)),
            WaitRole::Other => {}
        }
        // A new thread records its start as the one that has made it.
        if !matches!(*role, WaitRole::Entry(_) | WaitRole::Started(..))
            && let Some(state) = self.threads.get_mut(&tid)
            && state.contended.is_none()
        {
            state.is_in_call = false;
        }
        self.descriptors.add(record, trace);
    }

    /// The waits of each thread, those that have waited longest first. To be called in the end.
    pub fn finish(&mut self) -> Vec<ThreadWaits> {
        let threads: Vec<i32> = self.threads.keys().copied().collect();
        threads.iter().for_each(|tid| self.end_waits(*tid, self.last));
        let is_known = self.runs.is_any_known();
        let off = |tid: i32| is_known.then(|| self.runs.so_far(tid, self.last));
        std::mem::take(&mut self.sums).finish(self.runs.chosen(), off)
    }

    /// The descriptors that it follows, as they are before the next record.
    pub fn descriptors(&self) -> &Descriptors {
        &self.descriptors
    }

    fn leave(
        &mut self,
        tid: i32,
        id: u16,
        result: Option<i64>,
        pair: Option<FoundPair>,
        holder: Option<LockHolder>,
    ) {
        let call = self.threads.get_mut(&tid).and_then(|state| {
            let place = state.calls.iter().rposition(|call| call.id == id)?;
            // Those in it were left by a jump.
            let left = state.calls.split_off(place + 1);
            Some((state.calls.pop()?, left))
        });
        let Some((call, left)) = call else { return };
        for left in left {
            self.end_keys(tid, &left);
        }
        let waker = self.end_keys(tid, &call);
        let joined = self.joined(&call);
        let Some(object) = call.object else { return };
        let pair = match object.kind.is_lock() && self.knows_contention == Some(true) {
            true => call.contended,
            false => pair,
        };
        let Some(pair) = pair else { return };
        let child = result.filter(|result| object.kind == WaitKind::Child && *result > 0);
        let ended = joined.or(child.map(|child| child as i32));
        let ended = ended.map(|tid| (WaitPeer { tid, cause: WaitCause::End }, 0));
        let peer = ended.or(waker).or(holder.map(held));
        self.count(Wait {
            object,
            pair,
            off: self.runs.so_far(tid, self.last) - call.off,
            peer,
            is_over: true,
        });
    }

    /// The thread whose end a call waits for. Its start may be recorded after that of the wait.
    fn joined(&self, call: &WaitingCall) -> Option<i32> {
        let (process, handle) = call.joined?;
        call.joined_thread.or_else(|| self.handles.thread(process, handle))
    }

    /// Ends what a call has begun for others. Who has ended its wait.
    fn end_keys(&mut self, tid: i32, call: &WaitingCall) -> Option<(WaitPeer, usize)> {
        if let Some(key) = &call.wake {
            self.wakers.woke(key, tid);
        }
        let waker = self.wakers.waited(call.wait.as_ref()?, tid)?;
        let cause = waker.call.map_or(WaitCause::End, WaitCause::Call);
        Some((WaitPeer { tid: waker.tid, cause }, waker.others))
    }

    fn waited_for_lock(&mut self, tid: i32, pair: Option<FoundPair>, holder: Option<LockHolder>) {
        let Some(state) = self.threads.get_mut(&tid) else { return };
        let Some((object, _, off)) = state.contended.take() else { return };
        let call = state.calls.last_mut().filter(|call| {
            let wanted = call.object.as_ref();
            wanted.is_some_and(|wanted| wanted.kind.is_lock() && wanted.number == object.number)
        });
        match (call, pair) {
            // The call's end says more of who has held it.
            (Some(call), pair) => call.contended = pair,
            (None, Some(pair)) => {
                let (off, peer) = (self.runs.so_far(tid, self.last) - off, holder.map(held));
                self.count(Wait { object, pair, off, peer, is_over: true });
            }
            (None, None) => {}
        }
    }

    /// A thread ends, with all others of its process if it `is_last`.
    fn end(&mut self, tid: i32, is_last: bool, time: u64, process: &dyn Fn(i32) -> i32) {
        self.wakers.wake(&WakeKey::ThreadEnd(process(tid)), tid, None);
        self.end_waits(tid, time);
        if is_last {
            let others: Vec<i32> =
                self.threads.keys().copied().filter(|other| process(*other) == process(tid)).collect();
            others.iter().for_each(|other| self.end_waits(*other, time));
        }
    }

    /// Counts what a thread still waits for at `time`, and forgets what it is in.
    fn end_waits(&mut self, tid: i32, time: u64) {
        let Some(mut state) = self.threads.remove(&tid) else { return };
        let call = state.calls.pop();
        state.calls.iter().for_each(|call| drop(self.end_keys(tid, call)));
        let (start, off, object, is_chosen) = match (state.contended, &call) {
            (Some((object, start, off)), _) => (start, off, Some(object), true),
            (None, Some(call)) => {
                (call.start, call.off, call.object.clone(), call.is_chosen && state.is_in_call)
            }
            (None, None) => return,
        };
        let joined = call.as_ref().and_then(|call| self.joined(call));
        if let Some(call) = &call {
            self.end_keys(tid, call);
        }
        let holder = call.and_then(|call| self.locks.unfinished(tid, call.id, time));
        let Some(object) = object.filter(|_| is_chosen) else { return };
        if self.gaps.lie_between(start, time) {
            self.uncertain += 1;
            return;
        }
        let peer = joined.map(|tid| (WaitPeer { tid, cause: WaitCause::End }, 0)).or(holder.map(held));
        let pair = FoundPair { row: 0, start, length: time.saturating_sub(start), pid: tid };
        let off = self.runs.so_far(tid, time) - off;
        self.count(Wait { object, pair, off, peer, is_over: false });
    }

    /// Counts a wait. Who has woken the thread is known for certain where the kernel has said it.
    fn count(&mut self, mut wait: Wait) {
        let waker = self.runs.waker(wait.pair.pid, wait.pair.start).filter(|_| wait.is_over);
        let is_known = wait.peer.as_ref().is_some_and(|(peer, others)| match peer.cause {
            WaitCause::Call(_) => Some(peer.tid) == waker && *others == 0,
            _ => true,
        });
        if let Some(tid) = waker.filter(|_| !is_known) {
            let cause = match wait.peer.take().map(|(peer, _)| peer) {
                Some(WaitPeer { tid: known, cause }) if known == tid => cause,
                _ => WaitCause::Waking,
            };
            wait.peer = Some((WaitPeer { tid, cause }, 0));
        }
        self.sums.add(wait);
    }
}

/// Where every record has flags.
const COMMON_FLAGS: usize = 2;
