//! Who has made calls that wake others.
//!
//! A call wakes a thread if it is for what that one waits for, and lasts into the wait or begins in it. The
//! first such call has ended the wait, unless it was for another thread: so where other threads have made
//! such calls too, they are counted.

use super::WaitKind;
use crate::descriptors::DescriptorChannel;
use foldhash::HashMap;
use std::rc::Rc;

/// What threads wait for, and others wake them from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum WakeKey {
    /// Something at an address of a process.
    Object(i32, WaitKind, u64),
    /// Bytes at an end of a channel; or that it takes more of them.
    Channel(DescriptorChannel, bool),
    /// The end of any thread of a process.
    ThreadEnd(i32),
}

/// Who has ended a wait, it seems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waker {
    pub(super) tid: i32,
    /// By this call, or else by its end.
    pub(super) call: Option<Rc<str>>,
    /// How many other threads may have done it.
    pub(super) others: usize,
}

/// Follows the calls that wake. Takes memory for each of them while it lasts, and for each thread that waits.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    waiting: HashMap<WakeKey, Vec<WaitingThread>>,
    /// Calls that wake, which last.
    lasting: HashMap<WakeKey, Vec<WakeCall>>,
}

#[derive(Debug)]
struct WaitingThread {
    tid: i32,
    /// Those that would wake it, in order.
    calls: Vec<WakeCall>,
    /// Whether another one has returned from the barrier that it waits at.
    is_through: bool,
}

#[derive(Debug, Clone)]
struct WakeCall {
    tid: i32,
    call: Option<Rc<str>>,
}

impl WakeKey {
    /// A barrier is passed by all threads at once, when the last one comes.
    fn is_barrier(&self) -> bool {
        matches!(self, WakeKey::Object(_, WaitKind::Barrier, _))
    }
}

impl Wakers {
    /// A thread begins to wait.
    pub(super) fn wait(&mut self, key: WakeKey, tid: i32) {
        let lasting = self.lasting.get(&key).into_iter().flatten();
        // Who comes to a barrier later ends the wait. Who reads already doesn't keep others from writing.
        let is_late = key.is_barrier() || matches!(key, WakeKey::Channel(_, false));
        let lasting = lasting.filter(|call| call.tid != tid && !is_late).cloned().collect();
        self.waiting.entry(key).or_default().push(WaitingThread { tid, calls: lasting, is_through: false });
    }

    /// A thread begins a call that wakes, or ends.
    pub(super) fn wake(&mut self, key: &WakeKey, tid: i32, call: Option<Rc<str>>) {
        for waiting in self.waiting.get_mut(key).into_iter().flatten() {
            let is_new = waiting.calls.iter().all(|call| call.tid != tid);
            if waiting.tid != tid && is_new && !waiting.is_through {
                waiting.calls.push(WakeCall { tid, call: call.clone() });
            }
        }
        if call.is_some() {
            self.lasting.entry(key.clone()).or_default().push(WakeCall { tid, call });
        }
    }

    /// A thread's call that wakes has returned.
    pub(super) fn woke(&mut self, key: &WakeKey, tid: i32) {
        let Some(calls) = self.lasting.get_mut(key) else { return };
        if let Some(place) = calls.iter().rposition(|call| call.tid == tid) {
            calls.remove(place);
        }
        if calls.is_empty() {
            self.lasting.remove(key);
        }
    }

    /// A thread waits no more. Who has ended that.
    pub(super) fn waited(&mut self, key: &WakeKey, tid: i32) -> Option<Waker> {
        let waiting = self.waiting.get_mut(key)?;
        let place = waiting.iter().rposition(|waiting| waiting.tid == tid)?;
        let thread = waiting.remove(place);
        if key.is_barrier() && !thread.is_through {
            waiting.iter_mut().for_each(|other| other.is_through = true);
        }
        if waiting.is_empty() {
            self.waiting.remove(key);
        }
        let (found, others) = match key.is_barrier() {
            true => (thread.calls.last(), 0),
            false => (thread.calls.first(), thread.calls.len().saturating_sub(1)),
        };
        found.map(|WakeCall { tid, call }| Waker { tid: *tid, call: call.clone(), others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEMAPHORE: WakeKey = WakeKey::Object(1, WaitKind::Semaphore, 7);
    const BARRIER: WakeKey = WakeKey::Object(1, WaitKind::Barrier, 7);

    fn post(wakers: &mut Wakers, tid: i32) {
        wakers.wake(&SEMAPHORE, tid, Some("sem_post".into()));
    }

    fn waited(wakers: &mut Wakers, key: &WakeKey, tid: i32) -> Option<(i32, usize)> {
        wakers.waited(key, tid).map(|waker| (waker.tid, waker.others))
    }

    #[test]
    fn the_first_call_within_the_wait_ends_it() {
        let mut wakers = Wakers::default();
        post(&mut wakers, 3);
        wakers.woke(&SEMAPHORE, 3);
        wakers.wait(SEMAPHORE, 2);
        post(&mut wakers, 2);
        assert_eq!(waited(&mut wakers, &SEMAPHORE, 2), None, "none has posted since but itself");
        wakers.wait(SEMAPHORE, 2);
        [4, 5, 4].iter().for_each(|tid| post(&mut wakers, *tid));
        assert_eq!(waited(&mut wakers, &SEMAPHORE, 2), Some((4, 1)));
        // That of 5 lasts still.
        [2, 4, 4].iter().for_each(|tid| wakers.woke(&SEMAPHORE, *tid));
        wakers.wait(SEMAPHORE, 2);
        assert_eq!(waited(&mut wakers, &SEMAPHORE, 2), Some((5, 0)));
    }

    #[test]
    fn who_comes_last_lets_all_through_a_barrier() {
        let mut wakers = Wakers::default();
        let come = |wakers: &mut Wakers, tid: i32| {
            wakers.wake(&BARRIER, tid, Some("pthread_barrier_wait".into()));
            wakers.wait(BARRIER, tid);
        };
        [2, 3, 4].iter().for_each(|tid| come(&mut wakers, *tid));
        assert_eq!(waited(&mut wakers, &BARRIER, 3), Some((4, 0)));
        // It is there for the next time, before the others are through.
        come(&mut wakers, 3);
        assert_eq!(waited(&mut wakers, &BARRIER, 2), Some((4, 0)));
        assert_eq!(waited(&mut wakers, &BARRIER, 4), None);
    }
}
