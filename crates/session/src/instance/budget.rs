//! What recording into a session's default instance may cost.

use crate::{Error, Instance};
use abi::instance::RECORDING;
use control::{Budget, EVENT_NAME};
use events::governor::{BACK, GOVERNOR_ID, fixed_fields};
use ring_buffer::{RecordBuffer, Writer, duration_time, ticks};
use std::ops::RangeInclusive;

/// Percent that a budget may be.
pub const BUDGETS: RangeInclusive<f64> = 0.0001..=100.0;

/// Millionths in a percent.
const PERCENT: f64 = 10_000.0;

/// How many times as long as reading the time stamp counter an event of a call takes, until it is measured
/// where events are recorded: 3 in a loop of one call, more where the caches are used by others, too.
const READINGS: u64 = 5;

/// Words of the event: common fields, four more, the name.
const WORDS: usize = 4 + EVENT_NAME / 8;

/// An event that is left out of the default instance as recording costs too much, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutEvent {
    /// `system:name`.
    pub name: String,
    /// How many of it there were in a second, on one CPU.
    pub rate: u32,
    /// Nanoseconds since it was dropped.
    pub age: u64,
    /// Nanoseconds since it is back; None while it is left out.
    pub back: Option<u64>,
}

impl Instance {
    /// Percent of each CPU's time that recording into the session's default instance may take; None where
    /// nothing limits it.
    pub fn budget(&self) -> Option<f64> {
        self.control().budget().map(|budget| f64::from(budget.millionths) / PERCENT)
    }

    /// Nanoseconds that an event costs, as measured where events are recorded: on the CPU where it costs
    /// least, and where it costs most. None without a budget.
    pub fn event_costs(&self) -> Option<RangeInclusive<f64>> {
        let costs = self.control().event_costs()?;
        Some(f64::from(*costs.start()) / 1000.0..=f64::from(*costs.end()) / 1000.0)
    }

    /// Says how many percent it may take from now on, in all traced processes at once, see [`BUDGETS`]; None
    /// for all. What an event costs is estimated here and now, and measured by who records. Cost: some 20 us.
    ///
    /// # Errors
    ///
    /// When the session has been deleted.
    pub fn set_budget(&self, percent: Option<f64>) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let budget = percent.map(|percent| {
            let millionths = ((percent * PERCENT).round() as u32).clamp(1, 1_000_000);
            Budget { millionths, cost: measured_cost(self) }
        });
        self.control().set_budget(budget, self.durations_now());
        self.control().announce_switched();
        Ok(())
    }

    /// The events that are left out of this instance now, or were since it was made, the last first: of the
    /// default one.
    pub fn left_out(&self) -> Vec<LeftOutEvent> {
        if self.index != RECORDING {
            return Vec::new();
        }
        let now = self.durations_now();
        let ago = |time| self.control().passed_since(time, now);
        let name = |id| {
            let event = self.event_of_id(id);
            event.map_or_else(|| format!("event {id}"), |event| format!("{}:{}", event.system, event.name))
        };
        let all = self.control().dropped_events().map(|dropped| LeftOutEvent {
            name: name(dropped.event),
            rate: dropped.rate,
            age: ago(dropped.since),
            back: dropped.until.map(ago),
        });
        let mut all: Vec<LeftOutEvent> = all.collect();
        all.sort_by_key(|event| (event.back.unwrap_or(0), event.age));
        all
    }

    /// Records events in the default instance again whose pause is over: for one who looks at the session, in
    /// case that nothing else is recorded there. Traced processes do so when they turn a page. Mends what
    /// processes have left that were killed while they did.
    ///
    /// No event says so where the buffer can't be mapped once more, or the session is no longer there.
    pub fn bring_back_events(&self) {
        if self.index != RECORDING {
            return;
        }
        let control = self.control();
        control.restore_lost();
        let Some(budget) = control.budget() else {
            if control.restore_all(self.durations_now()) {
                control.announce_switched();
            }
            return;
        };
        let is_any_dropped = control.dropped_events().any(|dropped| dropped.until.is_none());
        if !is_any_dropped || !control.owes_nothing(self.durations_now()) {
            return;
        }
        // A second mapping: who writes has one of its own.
        let is_same = |again: &Instance| again.control().identity().number == control.identity().number;
        let writer = self.again().ok().filter(is_same).map(|again| Writer::new(again.into_buffer()));
        while let Some((id, rate)) = control.restore_due(self.durations_now()) {
            control.announce_switched();
            if let Some(writer) = writer.as_ref().filter(|_| control.is_enabled(GOVERNOR_ID, RECORDING)) {
                // If it can't be written, the buffer has counted it.
                let _ = writer.write(self.observer(), self.back_event((id, rate), budget).event());
            }
        }
    }

    fn back_event(&self, (id, rate): (u16, u32), budget: Budget) -> RecordBuffer<WORDS> {
        let mut name = [0; EVENT_NAME];
        let name = self.control().event_name(id, &mut name).unwrap_or_default();
        let mut record = RecordBuffer::new();
        let tid = rustix::thread::gettid().as_raw_nonzero().get();
        record.push(abi::common::word(GOVERNOR_ID, 0, 0, tid));
        let fields = fixed_fields(name.len(), BACK, rate, budget.millionths);
        fields.into_iter().for_each(|half| record.push_half(half));
        record.push_bytes(&[name, b"\0"].concat());
        record
    }

    fn durations_now(&self) -> u64 {
        duration_time(self.control().tick_rate().is_some())
    }
}

/// Picoseconds that an event may take here, by what reading the counter takes.
fn measured_cost(session: &Instance) -> u32 {
    const READ: u64 = 256;
    const TRIES: usize = 16;
    let one = || {
        let start = ticks();
        let last = (0..READ).fold(start, |_, _| ticks());
        last.saturating_sub(start)
    };
    let shortest = (0..TRIES).map(|_| one()).min().unwrap_or(0);
    // Durations of buffers whose times are no ticks are nanoseconds already: as if the counter had 1 GHz.
    let nanoseconds = session.control().tick_rate().map_or(shortest, |rate| rate.nanoseconds(shortest));
    (nanoseconds * 1000 * READINGS / READ).clamp(1000, u32::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};
    use control::Spending;
    use std::cell::Cell;
    use tempfile::TempDir;

    fn new_session() -> (TempDir, Instance) {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, session)
    }

    #[test]
    fn a_budget_is_kept_and_what_is_left_out_comes_back() {
        let (_directory, session) = new_session();
        assert_eq!((session.budget(), session.event_costs(), session.left_out()), (None, None, vec![]));
        session.set(&"libc:read".parse().unwrap(), true).unwrap();
        session.set_budget(Some(0.5)).unwrap();
        assert_eq!(session.budget(), Some(0.5));
        assert!(*session.event_costs().unwrap().start() >= 1.0);
        let read = session.events().find(|event| event.name == "read").unwrap().id;
        let control = session.control();
        assert!(control.drop_event(read, 7, session.durations_now()));
        assert!(!control.drop_event(read, 7, session.durations_now()), "it is dropped");
        let [left_out] = &session.left_out()[..] else { panic!() };
        assert_eq!((left_out.name.as_str(), left_out.rate, left_out.back), ("libc:read", 7, None));
        assert!(!control.is_enabled(read, 0));
        session.bring_back_events();
        assert!(!control.is_enabled(read, 0), "its pause isn't over");
        session.set_budget(None).unwrap();
        assert!(control.is_enabled(read, 0) && session.left_out()[0].back.is_some());
    }

    #[test]
    fn what_exceeds_a_quarter_of_a_second_of_the_budget_is_too_much() {
        let (_directory, session) = new_session();
        let control = session.control();
        assert_eq!(control.spend(0, 1, 1, None), None, "nothing limits it");
        control.set_budget(Some(Budget { millionths: 10_000, cost: 100_000 }), 0);
        let second = (0..).map(|bit| 1 << bit).find(|time| control.passed_since(0, *time) >= 1_000_000_000);
        let (second, mut number) = (second.unwrap(), 1);
        let now = Cell::new(1);
        let mut spend = |events: u64| {
            now.set(now.get() + second);
            number += events;
            let spent = control.spend(0, number, now.get(), None).map(|(_, spending)| spending);
            assert_eq!(control.spend(0, number, now.get() + 1, None), None, "it is counted");
            (spent, control.owes_nothing(now.get()))
        };
        assert_eq!(spend(1).0, None, "nobody knows since when");
        // 100 ns each, and 100,000 of them in each second: `second` is one to two.
        assert_eq!(spend(10_000), (Some(Spending::Quiet), true));
        assert_eq!(spend(90_000).0, Some(Spending::Quiet));
        let (over, owes_nothing) = spend(1_000_000);
        assert!(matches!(over, Some(Spending::TooMuch { rate }) if rate > 400_000), "{over:?}");
        assert!(!owes_nothing, "it is still to be paid back");
        assert_eq!(spend(1).0, Some(Spending::Quiet), "at most one second's budget is owed");
        // Of what was recorded since the last turn, this was part.
        spend(1_000_000);
        assert!(control.drop_event(session.events().next().unwrap().id, 7, now.get() + second / 2));
        assert_eq!(spend(1_000_000).0, Some(Spending::Fair));
        assert!(matches!(spend(1_000_000).0, Some(Spending::TooMuch { .. })));
        assert_eq!(spend(1).0, Some(Spending::Quiet));
    }

    #[test]
    fn who_is_dropped_again_stays_out_for_longer() {
        let (_directory, session) = new_session();
        session.set(&"libc:read".parse().unwrap(), true).unwrap();
        let control = session.control();
        control.set_budget(Some(Budget { millionths: 10_000, cost: 100_000 }), 0);
        let read = session.events().find(|event| event.name == "read").unwrap().id;
        let second =
            (0..).map(|bit| 1_u64 << bit).find(|time| control.passed_since(0, *time) >= 1_000_000_000);
        let (second, mut now) = (second.unwrap(), 1);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            assert!(control.drop_event(read, 7, now));
            let since = now;
            while control.restore_due(now).is_none() {
                now += second / 4;
            }
            pauses.push(control.passed_since(since, now) / 1_000_000_000);
            now += second / 4;
        }
        assert!(pauses.is_sorted() && pauses[0] < 3 && (64..67).contains(&pauses[8]), "{pauses:?}");
        now += 200 * second;
        assert!(control.drop_event(read, 7, now));
        assert_eq!(control.restore_due(now + 2 * second), Some((read, 7)), "after a long time it is as new");
    }

    #[test]
    fn who_says_himself_what_is_enabled_is_followed() {
        let (_directory, session) = new_session();
        session.set_budget(Some(1.0)).unwrap();
        let read = session.events().find(|event| event.name == "read").unwrap().id;
        for on in [true, false] {
            session.set(&"libc:read".parse().unwrap(), true).unwrap();
            assert!(session.control().drop_event(read, 7, session.durations_now()));
            session.set(&"libc:read".parse().unwrap(), on).unwrap();
            assert_eq!(session.control().is_enabled(read, 0), on);
            assert!(session.left_out().iter().all(|event| event.back.is_some()));
            session.set_budget(None).unwrap();
            assert_eq!(session.control().is_enabled(read, 0), on);
            session.set_budget(Some(1.0)).unwrap();
        }
    }
}
