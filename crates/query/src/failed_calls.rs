//! Calls that have failed, counted by what is the same of them.

use crate::FinishedCall;
use foldhash::HashMap;
use std::cmp::Reverse;
use std::rc::Rc;

/// Counts calls that have failed. Takes memory for each kind of failure, up to a bound.
#[derive(Debug, Default)]
pub struct FailedCalls {
    kinds: HashMap<FailureKind, Failures>,
    /// How many were not told apart any more.
    others: u64,
}

/// What is the same of failures that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FailureKind {
    /// The process.
    pub tgid: i32,
    /// The event at the end of the call.
    pub exit: u16,
    /// The number of the error.
    pub error: i64,
    /// What the call was about, if that is known.
    pub about: Option<Rc<str>>,
}

/// The failures of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failures {
    /// How many.
    pub count: u64,
    /// When the first of them has ended, and the last.
    pub times: (u64, u64),
    /// The thread of the last, and where it has made the call, if that is known.
    pub last: (i32, Option<u64>),
}

/// The most kinds that are told apart; as many again are only without what the calls were about.
const MOST: usize = 1 << 14;

impl FailedCalls {
    /// Counts a call with this error.
    pub fn add(&mut self, call: &FinishedCall, error: i64, about: Option<Rc<str>>) {
        let mut kind = FailureKind { tgid: call.tgid, exit: call.exit, error, about };
        if self.kinds.len() >= MOST && !self.kinds.contains_key(&kind) {
            kind.about = None;
        }
        let is_full = self.kinds.len() >= 2 * MOST;
        match self.kinds.get_mut(&kind) {
            Some(failures) => {
                failures.count += 1;
                failures.times.1 = call.end;
                failures.last = (call.tid, call.caller);
            }
            None if is_full => self.others += 1,
            None => {
                let (times, last) = ((call.end, call.end), (call.tid, call.caller));
                self.kinds.insert(kind, Failures { count: 1, times, last });
            }
        }
    }

    /// Whether what calls were about isn't kept any more where it is new.
    pub fn is_full(&self) -> bool {
        self.kinds.len() >= MOST
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.others + self.kinds.values().map(|failures| failures.count).sum::<u64>()
    }

    /// All kinds: those first that fewer programs expect, then by how many there were.
    pub fn kinds(&self) -> Vec<(&FailureKind, &Failures)> {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(kind, failures)| {
            (how_usual_error(kind.error), Reverse(failures.count), failures.times.0, kind.exit)
        });
        kinds
    }
}

/// Whether programs don't expect this error in what they usually do.
pub fn is_unusual_error(error: i64) -> bool {
    how_usual_error(error) == 0
}

/// How usual an error is: programs look for files in several places, for children and terminals that
/// there may not be, and ask again for what isn't there yet. 0 is unusual, 2 most usual.
pub fn how_usual_error(error: i64) -> u8 {
    const EINTR: i64 = 4;
    const EAGAIN: i64 = 11;
    const EINPROGRESS: i64 = 115;
    const ENOENT: i64 = 2;
    const ECHILD: i64 = 10;
    const ENOTTY: i64 = 25;
    match error {
        EAGAIN | EINPROGRESS | EINTR => 2,
        ENOENT | ECHILD | ENOTTY => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failures_are_counted_and_less_usual_ones_come_first() {
        let mut failed = FailedCalls::default();
        for (end, error, about) in [(1, 2, "a"), (2, 2, "a"), (3, 11, "b"), (4, 111, "c"), (5, 2, "d")] {
            failed.add(&FinishedCall::example(7, end), error, Some(Rc::from(about)));
        }
        let found: Vec<_> = failed
            .kinds()
            .into_iter()
            .map(|(kind, failures)| {
                (kind.error, kind.about.as_deref().unwrap(), failures.count, failures.times)
            })
            .collect();
        let expected =
            [(111, "c", 1, (4, 4)), (2, "a", 2, (1, 2)), (2, "d", 1, (5, 5)), (11, "b", 1, (3, 3))];
        assert_eq!((found.as_slice(), failed.count()), (expected.as_slice(), 5));
    }

    #[test]
    fn what_is_not_told_apart_any_more_is_counted() {
        let mut failed = FailedCalls::default();
        for end in 0..MOST as u64 + 3 {
            failed.add(&FinishedCall::example(7, end), 2, Some(Rc::from(end.to_string())));
        }
        failed.add(&FinishedCall::example(7, 0), 2, Some(Rc::from("0")));
        assert!(failed.is_full());
        let kinds = failed.kinds();
        let untold = kinds.iter().find(|(kind, _)| kind.about.is_none()).map(|(_, failures)| failures.count);
        assert_eq!((kinds.len(), untold, failed.count()), (MOST + 1, Some(3), MOST as u64 + 4));
    }
}
