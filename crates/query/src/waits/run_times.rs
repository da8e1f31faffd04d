//! How long threads didn't run, from the events of which thread runs.

use foldhash::HashMap;
use std::ops::{AddAssign, Sub};
use trace_data::gaps::Gaps;

/// How long a thread didn't run, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OffCpu {
    /// As it waited for something.
    pub blocked: u64,
    /// As others ran instead of it.
    pub preempted: u64,
}

impl AddAssign for OffCpu {
    fn add_assign(&mut self, more: OffCpu) {
        self.blocked += more.blocked;
        self.preempted += more.preempted;
    }
}

impl Sub for OffCpu {
    type Output = OffCpu;

    fn sub(self, before: OffCpu) -> OffCpu {
        OffCpu {
            blocked: self.blocked.saturating_sub(before.blocked),
            preempted: self.preempted.saturating_sub(before.preempted),
        }
    }
}

/// Follows which threads run. Takes memory for each thread.
#[derive(Debug, Default)]
pub(super) struct RunTimes {
    threads: HashMap<i32, RunTime>,
    /// Times off CPU that aren't counted, because events are missing within, or that of their end.
    pub(super) uncertain: u64,
    /// Times off CPU of which the trace doesn't have the end: some kernels don't say that a thread runs after
    /// a CPU was idle.
    pub(super) without_end: u64,
}

#[derive(Debug, Default)]
struct RunTime {
    /// Since when it doesn't run, and whether it was preempted.
    off_since: Option<(u64, bool)>,
    off: OffCpu,
    /// When it was last woken.
    woken: Option<u64>,
    /// When it was last woken by another thread, and by which.
    waker: Option<(u64, i32)>,
    /// Whether something of that was chosen.
    is_chosen: bool,
    has_ended: bool,
}

/// Flags of an event from an interrupt: the thread that runs has nothing to do with it.
const IN_INTERRUPT: u8 = 0x08 | 0x10;

/// The kernel's state of a thread that could run: it was preempted.
const PREEMPTED: i64 = 0x100;

/// The kernel's states of a thread that has ended.
const ENDED: i64 = 0x10 | 0x20;

/// The most that the clocks of two sources of events differ, in nanoseconds.
const CLOCK_DIFFERENCE: u64 = 1000;

/// Why a thread stops running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    Blocked,
    Preempted,
    Ended,
}

impl StopReason {
    /// That of a thread that is switched from in this state.
    pub(super) fn of(state: i64) -> StopReason {
        match state & (PREEMPTED - 1) {
            0 => StopReason::Preempted,
            state if state & ENDED != 0 => StopReason::Ended,
            _ => StopReason::Blocked,
        }
    }
}

impl RunTimes {
    /// A thread stops running.
    pub(super) fn stop(&mut self, tid: i32, time: u64, (reason, is_chosen): (StopReason, bool), gaps: &Gaps) {
        // Each CPU has an idle thread, and all have this TID.
        if tid != 0 {
            self.has_run(tid, time, gaps);
            let thread = self.threads.entry(tid).or_default();
            let is_off = reason != StopReason::Ended && !thread.has_ended;
            thread.off_since = is_off.then_some((time, reason == StopReason::Preempted));
            thread.is_chosen |= is_chosen;
        }
    }

    /// A thread runs.
    pub(super) fn run(&mut self, tid: i32, time: u64, gaps: &Gaps) {
        let Some(thread) = self.threads.get_mut(&tid) else { return };
        let Some((since, is_preempted)) = thread.off_since.take() else { return };
        match gaps.lie_between(since, time) {
            true => self.uncertain += 1,
            false => thread.off += off(since, time, is_preempted),
        }
    }

    /// A thread has done something: it runs. Where the trace has no event of that, it was off CPU until it
    /// was woken at least.
    pub(super) fn has_run(&mut self, tid: i32, time: u64, gaps: &Gaps) {
        let Some(thread) = self.threads.get_mut(&tid) else { return };
        let has_begun = |(since, _): &mut (u64, bool)| time > *since + CLOCK_DIFFERENCE;
        let Some((since, is_preempted)) = thread.off_since.take_if(has_begun) else { return };
        match thread.woken.filter(|woken| *woken >= since && !gaps.lie_between(since, time)) {
            None => self.uncertain += 1,
            Some(woken) => {
                self.without_end += 1;
                thread.off += off(since, woken, is_preempted);
            }
        }
    }

    /// A thread with this TID starts.
    pub(super) fn start(&mut self, tid: i32) {
        if let Some(thread) = self.threads.get_mut(&tid) {
            thread.has_ended = false;
        }
    }

    /// A thread ends, or has ended since it ran.
    pub(super) fn end(&mut self, tid: i32) {
        let thread = self.threads.entry(tid).or_default();
        (thread.off_since, thread.has_ended) = (None, true);
    }

    /// A thread is woken while another one runs, in an event with these flags.
    pub(super) fn wake(&mut self, tid: i32, waker: i32, time: u64, flags: u8) {
        let thread = self.threads.entry(tid).or_default();
        thread.woken = Some(time);
        if waker != 0 && waker != tid && flags & IN_INTERRUPT == 0 {
            thread.waker = Some((time, waker));
        }
    }

    /// How long a thread has not run up to a time.
    pub(super) fn so_far(&self, tid: i32, time: u64) -> OffCpu {
        let Some(thread) = self.threads.get(&tid) else { return OffCpu::default() };
        let mut sum = thread.off;
        if let Some((since, is_preempted)) = thread.off_since {
            sum += off(since, time, is_preempted);
        }
        sum
    }

    /// Who has woken a thread last, since a time.
    pub(super) fn waker(&self, tid: i32, since: u64) -> Option<i32> {
        let (time, waker) = self.threads.get(&tid)?.waker?;
        (time >= since).then_some(waker)
    }

    /// Whether it is known when a thread runs.
    pub(super) fn is_any_known(&self) -> bool {
        self.threads.values().any(|thread| thread.off_since.is_some() || thread.off != OffCpu::default())
    }

    /// The threads of which something was chosen.
    pub(super) fn chosen(&self) -> impl Iterator<Item = i32> {
        self.threads.iter().filter(|(_, thread)| thread.is_chosen).map(|(tid, _)| *tid)
    }
}

fn off(since: u64, time: u64, is_preempted: bool) -> OffCpu {
    let length = time.saturating_sub(since);
    match is_preempted {
        true => OffCpu { blocked: 0, preempted: length },
        false => OffCpu { blocked: length, preempted: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preempted_threads_could_have_run() {
        assert!([0, 0x100].iter().all(|state| StopReason::of(*state) == StopReason::Preempted));
        assert!([1, 2, 0x80].iter().all(|state| StopReason::of(*state) == StopReason::Blocked));
        assert_eq!(StopReason::of(0x10), StopReason::Ended);
        let (mut times, gaps) = (RunTimes::default(), Gaps::new(vec![(500, 600)]));
        times.stop(7, 100, (StopReason::Blocked, true), &gaps);
        times.run(7, 130, &gaps);
        times.stop(7, 140, (StopReason::Preempted, true), &gaps);
        assert_eq!(times.so_far(7, 145), OffCpu { blocked: 30, preempted: 5 });
        times.run(7, 160, &gaps);
        times.stop(7, 490, (StopReason::Blocked, true), &gaps);
        times.run(7, 610, &gaps);
        assert_eq!((times.so_far(7, 700), times.uncertain), (OffCpu { blocked: 30, preempted: 20 }, 1));
        times.stop(0, 700, (StopReason::Blocked, true), &gaps);
        times.stop(8, 700, (StopReason::Blocked, false), &gaps);
        times.stop(7, 710, (StopReason::Ended, true), &gaps);
        assert_eq!(times.so_far(7, 900), OffCpu { blocked: 30, preempted: 20 });
        times.start(7);
        times.stop(7, 1000, (StopReason::Preempted, true), &gaps);
        times.end(7);
        times.stop(7, 1010, (StopReason::Blocked, true), &gaps);
        assert_eq!(times.so_far(7, 2000), OffCpu { blocked: 30, preempted: 20 }, "nor what ended unseen");
        assert_eq!(times.chosen().collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn who_does_something_runs_though_that_is_not_said() {
        let (mut times, gaps) = (RunTimes::default(), Gaps::new(vec![(50_000, 60_000)]));
        let blocked = |blocked| OffCpu { blocked, preempted: 0 };
        times.stop(7, 10_000, (StopReason::Blocked, true), &gaps);
        times.has_run(7, 10_900, &gaps);
        assert_eq!(times.so_far(7, 11_000), blocked(1000), "as far as two clocks differ");
        times.wake(7, 0, 20_000, IN_INTERRUPT);
        times.has_run(7, 24_000, &gaps);
        times.has_run(7, 25_000, &gaps);
        assert_eq!((times.so_far(7, 30_000), times.without_end, times.uncertain), (blocked(10_000), 1, 0));
        times.stop(7, 30_000, (StopReason::Blocked, true), &gaps);
        times.wake(7, 9, 31_000, 0);
        times.stop(7, 40_000, (StopReason::Blocked, true), &gaps);
        assert_eq!((times.so_far(7, 40_000), times.without_end, times.uncertain), (blocked(11_000), 2, 0));
        times.wake(7, 9, 49_000, 0);
        times.has_run(7, 70_000, &gaps);
        assert_eq!((times.so_far(7, 70_000), times.uncertain), (blocked(11_000), 1), "events are missing");
        times.stop(7, 80_000, (StopReason::Blocked, true), &gaps);
        times.has_run(7, 90_000, &gaps);
        assert_eq!((times.so_far(7, 90_000), times.uncertain), (blocked(11_000), 2), "nobody woke it");
    }

    #[test]
    fn who_is_interrupted_wakes_nobody() {
        let mut times = RunTimes::default();
        times.wake(7, 9, 100, 0x09);
        times.wake(7, 0, 101, 0);
        times.wake(7, 7, 102, 0);
        assert_eq!(times.waker(7, 0), None);
        times.wake(7, 9, 103, 0x01);
        assert_eq!((times.waker(7, 103), times.waker(7, 104)), (Some(9), None));
    }
}
