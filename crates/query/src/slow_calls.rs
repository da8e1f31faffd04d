//! The calls that took longest, and how long such calls take else.

use crate::waits::WaitKind;
use crate::{Durations, FinishedCall};
use foldhash::{HashMap, HashSet};
use std::cmp::Reverse;
use std::rc::Rc;
use trace_data::format::Format;

/// Measures calls, and keeps the longest. Takes 8 bytes for each.
///
/// The longest are without those in which threads wait for work, for others or for a lock: they take as long
/// as there is none, and [`Waits`](crate::Waits) has them.
#[derive(Debug, Default)]
pub struct SlowCalls {
    /// By the event at the call's end.
    durations: HashMap<u16, CallDurations>,
    /// The longest, in no order.
    longest: Vec<SlowCall>,
    /// A call has to be longer than this to be among them.
    least: u64,
    /// The longest of all, until now: how long, of which thread, and when it has ended.
    most: Option<(u64, i32, u64)>,
}

/// How long calls took.
#[derive(Debug)]
struct CallDurations {
    durations: Durations,
    /// Whether the longest are kept: they don't wait for work, for others or for a lock.
    is_work: bool,
}

/// A call that took long.
#[derive(Debug, Clone)]
pub struct SlowCall {
    /// How long, in nanoseconds.
    pub length: u64,
    /// The call.
    pub call: FinishedCall,
    /// What it was about, if that is known.
    pub about: Option<Rc<str>>,
}

/// How many of the longest are kept.
const KEPT: usize = 256;

impl SlowCalls {
    /// Measures a call that took so long, of the event with this format at its end. `about` is asked for if
    /// it is among the longest.
    pub fn add(
        &mut self,
        call: &FinishedCall,
        format: &Format,
        length: u64,
        about: impl FnOnce() -> Option<Rc<str>>,
    ) {
        let new = || CallDurations {
            durations: Durations::default(),
            is_work: is_work(crate::call_events::call_of(format)),
        };
        let measured = self.durations.entry(call.exit).or_insert_with(new);
        measured.durations.add_length(length);
        if !measured.is_work {
            return;
        }
        self.most = self.most.max(Some((length, call.tid, call.end)));
        if length > self.least || self.longest.len() < KEPT {
            self.longest.push(SlowCall { length, call: call.clone(), about: about() });
            if self.longest.len() >= 2 * KEPT {
                self.keep_longest();
            }
        }
    }

    fn keep_longest(&mut self) {
        self.longest.sort_by_key(|call| (Reverse(call.length), call.call.end));
        self.longest.truncate(KEPT);
        self.least = self.longest.last().map_or(0, |call| call.length);
    }

    /// Whether this call, which was measured last, is the longest until now.
    pub fn is_longest(&self, call: &FinishedCall) -> bool {
        self.most.is_some_and(|most| call.length.map(|length| (length, call.tid, call.end)) == Some(most))
    }

    /// The longest, the longest first, but only one of those that are about the same in one process.
    pub fn longest(&mut self) -> Vec<SlowCall> {
        self.keep_longest();
        let mut seen = HashSet::default();
        let is_first = |call: &&SlowCall| seen.insert((call.call.tgid, call.call.exit, call.about.clone()));
        self.longest.iter().filter(is_first).cloned().collect()
    }

    /// How many calls of this kind there were, and what half of them don't exceed.
    pub fn usual(&mut self, exit: u16) -> (u64, u64) {
        let Some(CallDurations { durations, .. }) = self.durations.get_mut(&exit) else { return (0, 0) };
        durations.sort();
        (durations.count(), durations.median())
    }

    /// How long the calls of each kind took, by the event at their end: those first that took longest
    /// together.
    pub fn durations(&mut self) -> Vec<(u16, &Durations)> {
        self.durations.values_mut().for_each(|measured| measured.durations.sort());
        let all = self.durations.iter().map(|(exit, measured)| (*exit, &measured.durations));
        let mut all: Vec<(u16, &Durations)> = all.collect();
        all.sort_by_key(|(exit, durations)| (Reverse(durations.total()), *exit));
        all
    }
}

/// Whether a call of this name takes as long as its work: it waits for nobody.
pub(crate) fn is_work(name: &str) -> bool {
    let waits_for_work = matches!(name, "accept" | "accept4" | "futex" | "io_getevents" | "io_uring_enter");
    !waits_for_work
        && WaitKind::of_call(name).is_none_or(|kind| {
            matches!(kind, WaitKind::Sleep | WaitKind::Descriptor | WaitKind::Stream | WaitKind::Lookup)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> Format {
        let text = format!(
            "name: {name}\nID: 7\nformat:\n\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
        );
        Format::parse("libc", &text).unwrap()
    }

    #[test]
    fn the_longest_of_each_kind_is_kept_with_what_is_usual() {
        let format = format("read_exit");
        let mut slow = SlowCalls::default();
        for length in 1..=2000 {
            let about = Rc::from(if length % 2 == 0 { "even" } else { "odd" });
            slow.add(&FinishedCall::example(7, length), &format, length, || Some(about));
        }
        let longest = slow.longest();
        let found: Vec<(u64, &str)> =
            longest.iter().map(|call| (call.length, call.about.as_deref().unwrap())).collect();
        assert_eq!(found, [(2000, "even"), (1999, "odd")]);
        assert_eq!((slow.usual(7), slow.usual(8)), ((2000, 1000), (0, 0)));
        let all: Vec<(u16, u64)> = slow.durations().iter().map(|(exit, all)| (*exit, all.count())).collect();
        assert_eq!(all, [(7, 2000)]);
    }

    #[test]
    fn what_waits_for_work_or_for_others_is_not_slow() {
        let counted = |name: &str| {
            let mut slow = SlowCalls::default();
            slow.add(&FinishedCall::example(7, 1), &format(name), 9, || None);
            slow.longest().len()
        };
        let calls = ["nanosleep_exit", "connect_exit", "malloc_exit", "epoll_wait_exit", "accept4_exit"];
        assert_eq!(calls.map(counted), [1, 1, 1, 0, 0]);
        assert_eq!(["pthread_mutex_lock_exit", "pthread_cond_wait_exit", "wait_exit"].map(counted), [0; 3]);
    }
}
