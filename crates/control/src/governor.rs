//! What recording may cost: see [`abi::control::GovernorWords`].
//!
//! Everything here is a word of its own. Who is killed, or held up, in between leaves a debt that is not
//! quite right, or an event that is said to be dropped and is not, until its pause is over. One that is
//! dropped, and is not said to be, is found by [`ControlArea::restore_lost`].

use crate::area::ControlArea;
use crate::clocks::Clocks;
use abi::control::{
    BACK, CLAIMED, DROPPED, GOVERNOR_OFFSET, GovernedCpu, GovernedEvent, GovernorWords, event_index,
    governed_parts, governed_word, heap_range, heap_word,
};
use abi::instance::RECORDING;
use core::ops::RangeInclusive;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Nanoseconds whose budget may be overdrawn. So a burst is recorded.
const OVERDRAFT: u64 = 250_000_000;

/// Nanoseconds whose budget is the highest debt: what can't be dropped may cost more, without end.
const MOST_OWED: u64 = 4 * OVERDRAFT;

/// Nanoseconds for which an event is dropped, at least; and at most, where it was dropped again and again.
const PAUSES: (u64, u64) = (1_000_000_000, 64_000_000_000);

/// An event takes so many times as long as its measured part: this, by that.
const WHOLE_EVENT: (u64, u64) = (5, 4);

/// One event counts for this part of the price,
const PRICED: u64 = 32;

/// and for this many times the price at most: a thread that has lost the CPU meanwhile has measured that.
const MOST_PRICED: u64 = 8;

/// A part of a CPU's time is in millionths of it.
const WHOLE: u64 = 1_000_000;

/// Bytes of an event's name, with its system.
pub const EVENT_NAME: usize = 64;

/// What recording may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Millionths of each CPU's time.
    pub millionths: u32,
    /// Picoseconds that an event is taken to take, until it is measured where events are recorded.
    pub cost: u32,
}

impl Budget {
    /// Nanoseconds that recording may take in so many.
    fn allowed(self, time: u64) -> u64 {
        time.saturating_mul(self.millionths.into()) / WHOLE
    }
}

/// What a page has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// Recording costs more than it may.
    TooMuch {
        /// Events per second in that page.
        rate: u64,
    },
    /// It costs less, and nothing is owed.
    Quiet,
    /// Neither.
    Fair,
}

/// An event that was dropped as it cost too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedEvent {
    /// Its id.
    pub event: u16,
    /// How many of it there were in a second.
    pub rate: u32,
    /// When it was dropped, by the clock of durations.
    pub since: u64,
    /// When it came back; None while it is dropped.
    pub until: Option<u64>,
}

impl ControlArea {
    /// What recording may cost; None where nothing limits it. Cost: a load.
    // Relaxed: the words carry nothing but themselves.
    #[inline]
    pub fn budget(&self) -> Option<Budget> {
        let words = self.governor();
        let millionths = words.budget.load(Relaxed);
        (millionths > 0).then(|| Budget { millionths, cost: words.cost.load(Relaxed) })
    }

    /// Says what it may cost from now on. Without a limit all events that are dropped come back, at `now`.
    // Relaxed: see `budget`.
    pub fn set_budget(&self, budget: Option<Budget>, now: u64) {
        let words = self.governor();
        if let Some(budget) = budget {
            words.cost.store(budget.cost, Relaxed);
            // Nobody has counted until now: what was recorded without a limit is not to be paid for.
            if words.budget.load(Relaxed) == 0 {
                for cpu in &words.cpus {
                    cpu.time.store(0, Relaxed);
                    cpu.debt.store(0, Relaxed);
                    cpu.cost.store(0, Relaxed);
                }
            }
        }
        words.budget.store(budget.map_or(0, |budget| budget.millionths), Relaxed);
        if budget.is_none() {
            self.restore_all(now);
        }
    }

    /// Records all events again that are dropped, at `now`: whether there was any.
    pub fn restore_all(&self, now: u64) -> bool {
        let restored = self.governor().events.iter().filter_map(|event| self.restore(event, now)).count();
        restored > 0
    }

    /// Counts what has come to a CPU until its event with this number, the first of a page, at `now` by the
    /// clock of durations. None where somebody else has done so. `taken` is how many ticks the measured part
    /// of one event took, if that is known.
    ///
    /// Async-signal-safe. Cost: some loads, and two atomic instructions for each page.
    // AcqRel: of several who count the same events one does. Relaxed: an amount that is not quite right is
    // right enough.
    pub fn spend(
        &self,
        cpu: u32,
        first_event: u64,
        now: u64,
        taken: Option<u64>,
    ) -> Option<(Budget, Spending)> {
        let budget = self.budget()?;
        let words = self.governed_cpu(cpu)?;
        let before = words.counted.load(Relaxed);
        if before == first_event {
            return None;
        }
        words.counted.compare_exchange(before, first_event, AcqRel, Relaxed).ok()?;
        let cost = self.price(words, budget, taken);
        let last = words.time.swap(now, Relaxed);
        let events = first_event.checked_sub(before).filter(|_| last != 0 && last < now)?;
        let passed = self.passed_since(last, now);
        let spent = events.saturating_mul(cost) / 1000;
        let allowed = budget.allowed(passed);
        let debt = words.debt.load(Relaxed).saturating_add(spent).saturating_sub(allowed);
        let debt = debt.min(budget.allowed(MOST_OWED));
        words.debt.store(debt, Relaxed);
        // Of what was counted, some may have been dropped since.
        let is_known = self.governor().dropped.load(Relaxed) <= last;
        let rate = events.saturating_mul(1_000_000_000).checked_div(passed).unwrap_or(u64::MAX);
        let spending = match debt {
            _ if debt > budget.allowed(OVERDRAFT) && spent > allowed && is_known => {
                Spending::TooMuch { rate }
            }
            0 => Spending::Quiet,
            _ => Spending::Fair,
        };
        Some((budget, spending))
    }

    /// Picoseconds that an event takes on a CPU, now that another one was measured there.
    // Relaxed: see `spend`.
    fn price(&self, words: &GovernedCpu, budget: Budget, taken: Option<u64>) -> u64 {
        let before = match words.cost.load(Relaxed) {
            0 => budget.cost.into(),
            cost => u64::from(cost),
        };
        let (Some(taken), Some(rate)) = (taken, self.tick_rate()) else { return before };
        let (whole, measured) = WHOLE_EVENT;
        let taken = rate.nanoseconds(taken.saturating_mul(1000)).saturating_mul(whole) / measured;
        let cost = (before * (PRICED - 1) + taken.min(before * MOST_PRICED)) / PRICED;
        words.cost.store(cost.clamp(1, u32::MAX.into()) as u32, Relaxed);
        cost
    }

    /// Picoseconds that an event takes on the CPU where it takes least, and where it takes most; None without
    /// a budget.
    // Relaxed: see `budget`.
    pub fn event_costs(&self) -> Option<RangeInclusive<u32>> {
        let budget = self.budget()?;
        let costs = || self.governor().cpus.iter().map(|cpu| cpu.cost.load(Relaxed)).filter(|cost| *cost > 0);
        let (least, most) = (costs().min(), costs().max());
        Some(least.unwrap_or(budget.cost)..=most.unwrap_or(budget.cost))
    }

    /// Drops an event from the default instance. Whether this was who did so; not where too many are dropped.
    ///
    /// Async-signal-safe. Bounded work, no system call.
    // AcqRel and Release: who finds the word dropped finds its times. Relaxed on failure: somebody else does
    // it. Acquire: the switch was changed before.
    pub fn drop_event(&self, id: u16, rate: u32, now: u64) -> bool {
        let Some((slot, word)) = self.slot_for(id) else { return false };
        let (event, state, _) = governed_parts(word);
        if slot.word.compare_exchange(word, governed_word(id, CLAIMED, rate), AcqRel, Relaxed).is_err() {
            return false;
        }
        let pause = slot.pause.load(Relaxed);
        let rested = self.passed_since(slot.until.load(Relaxed), now);
        let is_again = event == id && state == BACK && rested < 2 * pause.min(PAUSES.1);
        slot.pause.store(if is_again { (2 * pause).min(PAUSES.1) } else { PAUSES.0 }, Relaxed);
        slot.since.store(now, Relaxed);
        let dropped = governed_word(id, DROPPED, rate);
        slot.word.store(dropped, Release);
        self.governor().dropped.store(now, Relaxed);
        let is_dropped = self.set_dropped(id, true);
        // Held up since, and somebody has ended it before it began.
        if slot.word.load(Acquire) != dropped {
            self.set_dropped(id, false);
            return false;
        }
        is_dropped
    }

    /// Records an event again whose pause is over: which, and how many of it there were in a second. The
    /// caller has found that recording is cheap just now.
    ///
    /// Async-signal-safe. Bounded work, no system call.
    // Acquire: pairs with the Release of `drop_event`: the times are the word's. Relaxed: see `spend`.
    pub fn restore_due(&self, now: u64) -> Option<(u16, u32)> {
        self.governor().events.iter().find_map(|event| {
            let is_dropped = governed_parts(event.word.load(Acquire)).1 == DROPPED;
            let is_due = || self.passed_since(event.since.load(Relaxed), now) >= event.pause.load(Relaxed);
            if is_dropped && is_due() { self.restore(event, now) } else { None }
        })
    }

    /// Whether no CPU owes anything at `now`: those that have recorded nothing since have paid back.
    ///
    /// Cost: some loads for each CPU.
    // Relaxed: see `spend`.
    pub fn owes_nothing(&self, now: u64) -> bool {
        let Some(budget) = self.budget() else { return true };
        self.governor().cpus.iter().all(|cpu| {
            let (debt, last) = (cpu.debt.load(Relaxed), cpu.time.load(Relaxed));
            debt == 0 || debt <= budget.allowed(self.passed_since(last, now))
        })
    }

    /// Records events again that are dropped, and that nothing says so of: who has dropped them was killed.
    ///
    /// Cost: a load for each event.
    // Acquire: pairs with the Release of `drop_event`, which comes before the event is dropped.
    pub fn restore_lost(&self) {
        for id in self.event_ids().filter(|id| self.is_dropped(*id)) {
            let is_of_it = |event: &GovernedEvent| {
                let (of, state, _) = governed_parts(event.word.load(Acquire));
                of == id && state == DROPPED
            };
            if !self.governor().events.iter().any(is_of_it) {
                self.set_dropped(id, false);
            }
        }
    }

    /// Records an event again that is dropped: which, and its rate, if it is on.
    fn restore(&self, event: &GovernedEvent, now: u64) -> Option<(u16, u32)> {
        let (id, rate) = self.say_back(event, now)?;
        (self.set_dropped(id, false) && self.is_wanted(id, RECORDING)).then_some((id, rate))
    }

    /// Says that an event is no longer dropped, if it is.
    // AcqRel: of several who do so at once one does. The time is there before who finds it back looks for it.
    fn say_back(&self, event: &GovernedEvent, now: u64) -> Option<(u16, u32)> {
        let word = event.word.load(Acquire);
        let (id, state, rate) = governed_parts(word);
        if state != DROPPED {
            return None;
        }
        event.until.store(now, Relaxed);
        event.word.compare_exchange(word, governed_word(id, BACK, rate), AcqRel, Relaxed).ok()?;
        Some((id, rate))
    }

    /// Has an event no longer dropped, for one who says himself whether it is enabled.
    // Relaxed: `say_back` looks again.
    pub(crate) fn end_drop(&self, id: u16) {
        if self.budget().is_none() {
            return;
        }
        let now = self.duration_clock(&Clocks::now());
        let of_it = |event: &&GovernedEvent| governed_parts(event.word.load(Relaxed)).0 == id;
        for event in self.governor().events.iter().filter(of_it) {
            self.restore(event, now);
        }
    }

    /// The events that are dropped from the default instance as they cost too much, or were and are back.
    // Acquire: pairs with the Release of `drop_event`: the times are the word's.
    pub fn dropped_events(&self) -> impl Iterator<Item = DroppedEvent> {
        self.governor().events.iter().filter_map(|event| {
            let (id, state, rate) = governed_parts(event.word.load(Acquire));
            let until = match state {
                // Said before it is so, or somebody was killed in between.
                DROPPED if !self.is_dropped(id) || !self.is_wanted(id, RECORDING) => return None,
                DROPPED => None,
                BACK => Some(event.until.load(Relaxed)),
                _ => return None,
            };
            Some(DroppedEvent { event: id, rate, since: event.since.load(Relaxed), until })
        })
    }

    /// An event's name, `system:name`, cut off where it doesn't fit.
    ///
    /// Async-signal-safe.
    // Acquire: pairs with the AcqRel of `add_built_in_event` and `try_add_event`: the text is there.
    pub fn event_name<'a>(&self, id: u16, buffer: &'a mut [u8; EVENT_NAME]) -> Option<&'a [u8]> {
        let word = self.events().get(event_index(id))?.description.load(Acquire);
        if word == 0 {
            return None;
        }
        let (offset, len) = heap_range(word);
        let len = len.min(EVENT_NAME as u32);
        self.text(heap_word(offset, len), buffer)?;
        let len = len as usize;
        let text = buffer.get_mut(..len)?;
        let system = text.iter().position(|byte| *byte == 0)?;
        let end = text.iter().skip(system + 1).position(|byte| *byte == 0);
        *text.get_mut(system)? = b':';
        text.get(..end.map_or(len, |end| system + 1 + end))
    }

    /// The slot for an event, and its word: its own, a free one, or that of one that has long been back.
    // Acquire: as in `restore_due`. Relaxed: see `spend`.
    fn slot_for(&self, id: u16) -> Option<(&GovernedEvent, u64)> {
        let slots = || self.governor().events.iter().map(|event| (event, event.word.load(Acquire)));
        let own = slots().find(|(_, word)| governed_parts(*word).0 == id && *word != 0);
        if let Some((slot, word)) = own {
            return (governed_parts(word).1 != DROPPED).then_some((slot, word));
        }
        let is_back = |(_, word): &(&GovernedEvent, u64)| governed_parts(*word).1 == BACK;
        let oldest = || slots().filter(is_back).min_by_key(|(slot, _)| slot.until.load(Relaxed));
        slots().find(|(_, word)| *word == 0).or_else(oldest)
    }

    fn governed_cpu(&self, cpu: u32) -> Option<&GovernedCpu> {
        let cpus = &self.governor().cpus;
        cpus.get(cpu as usize % cpus.len())
    }

    #[inline]
    fn governor(&self) -> &GovernorWords {
        let [words] = self.fixed::<GOVERNOR_OFFSET, GovernorWords, 1>();
        words
    }
}
