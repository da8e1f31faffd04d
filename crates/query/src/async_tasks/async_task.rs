//! A task of an async runtime.

use super::polling::{Polling, TimeSum};
use super::waker_action::WakerAction;
use foldhash::HashMap;
use trace_data::gaps::Gaps;

/// A task, and what it did.
#[derive(Debug)]
pub struct AsyncTask {
    /// The process that it is in.
    pub process: i32,
    /// Its number in the runtime. None of one that was made before the trace begins.
    pub number: Option<u64>,
    /// What it is: `task`, `blocking`, `block_on`, `local`.
    pub kind: Option<String>,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The file and line where it was made.
    pub place: Option<String>,
    /// When it was made.
    pub made: Option<u64>,
    /// Where it is when the trace ends.
    pub state: AsyncTaskState,
    /// How long it is there, from when it was made until it ended or the trace did. None where it was made
    /// before the trace begins.
    pub age: Option<u64>,
    /// Its polls, and how long they took.
    pub polls: TimeSum,
    /// How long it took to drop its future, where that was recorded.
    pub dropping: u64,
    /// How long it could have been polled, and was not: each time from when it was made or woken on.
    pub waits: TimeSum,
    /// How often each has woken it.
    pub woken_by: HashMap<TaskWaker, u64>,
    /// How often it has woken itself. Not part of `woken_by`.
    pub own_wakes: u64,
    polling: Polling,
}

/// Where a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsyncTaskState {
    /// Its future is gone.
    Ended,
    /// It is being polled, for so many nanoseconds.
    Polled(u64),
    /// It is made or woken, and not polled yet.
    Woken,
    /// It waits.
    Idle,
    /// It waits, and there is nothing left that could wake it.
    Forgotten,
}

/// Who wakes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskWaker {
    /// A task, by its place in the list.
    Task(usize),
    /// A thread that polls none.
    Thread(i32),
}

impl AsyncTask {
    /// A task that was made before the trace begins.
    pub(super) fn unknown(process: i32) -> AsyncTask {
        AsyncTask {
            process,
            number: None,
            kind: None,
            name: None,
            place: None,
            made: None,
            state: AsyncTaskState::Idle,
            age: None,
            polls: TimeSum::default(),
            dropping: 0,
            waits: TimeSum::default(),
            woken_by: HashMap::default(),
            own_wakes: 0,
            polling: Polling::default(),
        }
    }

    /// A task that is made now.
    pub(super) fn made(process: i32, time: u64) -> AsyncTask {
        let polling = Polling { woken: Some(time), ..Polling::default() };
        AsyncTask { made: Some(time), polling, ..AsyncTask::unknown(process) }
    }

    /// How often it was woken.
    pub fn wakes(&self) -> u64 {
        self.woken_by.values().sum::<u64>() + self.own_wakes
    }

    /// Counts the last poll, which was one.
    fn count_poll(&mut self) {
        if let Some(measured) = self.polling.uncounted.take() {
            self.polls.add(measured);
        }
    }

    /// It is polled, or its future is dropped.
    pub(super) fn enter(&mut self, time: u64, gaps: &Gaps) {
        self.count_poll();
        // How that ended is missing.
        if self.polling.entered.replace(time).is_some() {
            self.polls.add(None);
        }
        if let Some(since) = self.polling.woken.take() {
            self.waits.add(measured(since, time, gaps));
        }
    }

    /// That is over.
    pub(super) fn leave(&mut self, time: u64, gaps: &Gaps) {
        self.count_poll();
        let entered = self.polling.entered.take();
        self.polling.uncounted = Some(entered.and_then(|entered| measured(entered, time, gaps)));
        if self.polling.woken.is_some() {
            self.polling.woken = Some(time);
        }
    }

    /// Its span is closed: what was entered last was the dropping of its future.
    pub(super) fn close(&mut self, time: u64) {
        self.dropping = self.polling.uncounted.take().flatten().unwrap_or_default();
        self.state = AsyncTaskState::Ended;
        self.age = self.made.map(|made| time - made);
    }

    /// Something is done with what wakes it: by whom, and whether that is itself.
    pub(super) fn apply(&mut self, action: WakerAction, (by, is_own): (TaskWaker, bool), time: u64) {
        self.polling.wakers += match action {
            WakerAction::Clone => 1,
            WakerAction::Drop | WakerAction::Wake => -1,
            WakerAction::WakeByReference => 0,
        };
        if action.wakes() {
            match is_own {
                true => self.own_wakes += 1,
                false => *self.woken_by.entry(by).or_default() += 1,
            }
            self.polling.woken.get_or_insert(time);
        }
    }

    /// The trace ends, which has what is done with wakers or not.
    pub(super) fn finish(&mut self, last: u64, knows_wakers: bool, gaps: &Gaps) {
        if self.state == AsyncTaskState::Ended {
            return;
        }
        self.count_poll();
        self.age = self.made.map(|made| last - made);
        let is_whole = knows_wakers && self.made.is_some_and(|made| !gaps.lie_between(made, last));
        self.state = match &self.polling {
            Polling { entered: Some(since), .. } => AsyncTaskState::Polled(last - since),
            Polling { woken: Some(_), .. } => AsyncTaskState::Woken,
            Polling { wakers: 0, .. } if is_whole => AsyncTaskState::Forgotten,
            _ => AsyncTaskState::Idle,
        };
    }
}

/// The time from one event to another, if no events are missing meanwhile.
fn measured(from: u64, to: u64, gaps: &Gaps) -> Option<u64> {
    (!gaps.lie_between(from, to)).then(|| to.saturating_sub(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wake(task: &mut AsyncTask, action: WakerAction, time: u64) {
        task.apply(action, (TaskWaker::Thread(7), false), time);
    }

    #[test]
    fn what_is_missing_is_counted_and_not_measured() {
        let gaps = Gaps::new(vec![(200, 300)]);
        let mut task = AsyncTask::made(1, 100);
        task.enter(110, &gaps);
        task.leave(115, &gaps);
        wake(&mut task, WakerAction::Wake, 190);
        // It was perhaps polled and woken again meanwhile.
        task.enter(310, &gaps);
        // How it was left is missing, as it is how it was entered the next time.
        task.enter(320, &gaps);
        task.leave(325, &gaps);
        task.leave(330, &gaps);
        task.finish(400, true, &gaps);
        assert_eq!(task.polls, TimeSum { count: 4, uncertain: 2, total: 10, longest: 5 });
        assert_eq!(task.waits, TimeSum { count: 2, uncertain: 1, total: 10, longest: 10 });
        assert_eq!((task.state, task.age), (AsyncTaskState::Idle, Some(300)));
    }

    #[test]
    fn a_task_is_forgotten_when_nothing_can_wake_it() {
        let gaps = Gaps::default();
        let state = |actions: &[WakerAction], knows_wakers| {
            let mut task = AsyncTask::made(1, 100);
            task.enter(110, &gaps);
            actions.iter().for_each(|action| wake(&mut task, *action, 112));
            task.leave(115, &gaps);
            task.finish(200, knows_wakers, &gaps);
            task.state
        };
        assert_eq!(state(&[], true), AsyncTaskState::Forgotten);
        assert_eq!(state(&[], false), AsyncTaskState::Idle);
        assert_eq!(state(&[WakerAction::Clone], true), AsyncTaskState::Idle);
        assert_eq!(state(&[WakerAction::Clone, WakerAction::Drop], true), AsyncTaskState::Forgotten);
        assert_eq!(state(&[WakerAction::WakeByReference], true), AsyncTaskState::Woken);
    }

    #[test]
    fn the_dropping_of_a_future_is_no_poll() {
        let gaps = Gaps::default();
        let mut task = AsyncTask::made(1, 100);
        for (enter, leave) in [(110, 120), (121, 124)] {
            task.enter(enter, &gaps);
            task.leave(leave, &gaps);
        }
        task.close(125);
        task.finish(200, true, &gaps);
        assert_eq!(task.polls, TimeSum { count: 1, uncertain: 0, total: 10, longest: 10 });
        assert_eq!((task.state, task.age, task.dropping), (AsyncTaskState::Ended, Some(25), 3));
    }
}
