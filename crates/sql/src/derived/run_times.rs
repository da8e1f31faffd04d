//! What threads do, and for how long, as their switches say.

use super::state_row::StateRow;
use convert::RunState;
use foldhash::HashMap;
use std::ops::Sub;

/// What threads do.
#[derive(Debug, Default)]
pub(super) struct StateTimes {
    threads: HashMap<i32, ThreadRun>,
}

/// What a thread does.
#[derive(Debug)]
struct ThreadRun {
    now: StateRow,
    before: RunSums,
}

/// How long a thread did what, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunSums {
    /// It ran.
    pub running: u64,
    /// It could have run.
    pub runnable: u64,
    /// It waited for something else than a CPU.
    pub blocked: u64,
}

impl Sub for RunSums {
    type Output = RunSums;

    fn sub(self, less: RunSums) -> RunSums {
        RunSums {
            running: self.running.saturating_sub(less.running),
            runnable: self.runnable.saturating_sub(less.runnable),
            blocked: self.blocked.saturating_sub(less.blocked),
        }
    }
}

impl ThreadRun {
    fn sums_at(&self, time: u64) -> RunSums {
        let length = time.saturating_sub(self.now.start);
        let mut sums = self.before;
        match self.now.state {
            RunState::Running => sums.running += length,
            RunState::Runnable => sums.runnable += length,
            RunState::Sleeping | RunState::Blocked => sums.blocked += length,
        }
        sums
    }

    /// What it did until then.
    fn until(&self, time: u64) -> StateRow {
        StateRow { length: time.saturating_sub(self.now.start), ..self.now }
    }
}

impl StateTimes {
    /// A thread begins to do something, woken by another one perhaps. What it did before, if that is known.
    pub(super) fn change(
        &mut self,
        (tid, cpu, time): (i32, u32, u64),
        state: RunState,
        waker: Option<i32>,
    ) -> Option<StateRow> {
        let now = StateRow { start: time, length: 0, tid, cpu, state, waker };
        let Some(thread) = self.threads.get_mut(&tid) else {
            self.threads.insert(tid, ThreadRun { now, before: RunSums::default() });
            return None;
        };
        let (did, before) = (thread.until(time), thread.sums_at(time));
        *thread = ThreadRun { now, before };
        Some(did)
    }

    /// A thread is woken. What it did before, if it was asleep.
    pub(super) fn wake(&mut self, (tid, cpu, time): (i32, u32, u64), waker: i32) -> Option<StateRow> {
        let state = self.threads.get(&tid)?.now.state;
        let is_asleep = matches!(state, RunState::Sleeping | RunState::Blocked);
        is_asleep.then(|| self.change((tid, cpu, time), RunState::Runnable, Some(waker)))?
    }

    /// What a thread did up to a time, since it is known.
    pub(super) fn sums_at(&self, tid: i32, time: u64) -> Option<RunSums> {
        self.threads.get(&tid).map(|thread| thread.sums_at(time))
    }

    /// What all do until the trace ends.
    pub(super) fn finish(&mut self, time: u64) -> Vec<StateRow> {
        let mut last: Vec<StateRow> = self.threads.drain().map(|(_, thread)| thread.until(time)).collect();
        last.sort_by_key(|state| (state.start, state.tid));
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_between_two_moments() {
        let mut runs = StateTimes::default();
        assert_eq!(runs.sums_at(5, 50), None);
        assert_eq!(runs.change((5, 0, 100), RunState::Running, None), None);
        let before = runs.sums_at(5, 110).unwrap();
        let ran = runs.change((5, 0, 130), RunState::Sleeping, None).unwrap();
        assert_eq!((ran.start, ran.length, ran.state), (100, 30, RunState::Running));
        assert_eq!(runs.wake((5, 1, 170), 9).unwrap().length, 40);
        assert_eq!(runs.wake((5, 1, 175), 8), None, "it is awake");
        let waited = runs.change((5, 1, 180), RunState::Running, None).unwrap();
        assert_eq!((waited.state, waited.waker), (RunState::Runnable, Some(9)));
        let between = runs.sums_at(5, 185).unwrap() - before;
        assert_eq!(between, RunSums { running: 25, runnable: 10, blocked: 40 });
        assert_eq!(runs.finish(200)[0].length, 20);
    }
}
