//! Counters: how often a trigger may still act.
//!
//! All processes share them. One goes down by a compare-exchange before its trigger acts: so that never acts
//! more often.

use crate::area::ControlArea;
use crate::triggers::List;
use abi::control::{COUNTERS, COUNTERS_OFFSET, Counter, CounterRef};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use event_trigger::Trigger;

impl ControlArea {
    pub(crate) fn counters(&self) -> &[AtomicU64] {
        self.array(COUNTERS_OFFSET, COUNTERS)
    }

    /// How often a trigger may still act. None where nothing limits it.
    // Relaxed: for people; the count carries nothing but itself.
    pub fn count_left(&self, counter: CounterRef) -> Option<u64> {
        let word = self.counters().get(counter.index()?)?;
        Some(Counter(word.load(Relaxed)).left())
    }

    /// Sets up a counter that no trigger has. None where each has one. Only for one who has the session's
    /// lock.
    // Relaxed: only the holder of the session's lock makes counters, and nobody changes one that no trigger
    // has. Release: before the list that refers to the counter is given to its event.
    pub fn new_counter(&self, count: u64) -> Option<CounterRef> {
        let used = self.used_counters();
        let is_free = |index: &usize| used.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 0);
        let index = (0..COUNTERS).find(is_free)?;
        let word = self.counters().get(index)?;
        let stamp = Counter(word.load(Relaxed)).stamp().wrapping_add(1);
        word.store(Counter::new(stamp, count).0, Release);
        Some(CounterRef::new(index, stamp))
    }

    /// A bit for each counter that a trigger or a function's command has.
    fn used_counters(&self) -> [u64; COUNTERS / 64] {
        let mut used = [0; COUNTERS / 64];
        for instance in self.commanding() {
            self.visit_commands(instance, &mut |[_, counter]| {
                let index = CounterRef(counter).index();
                if let Some(index) = index.filter(|index| *index < COUNTERS) {
                    used.get_mut(index / 64).into_iter().for_each(|word| *word |= 1 << (index % 64));
                }
            });
        }
        for word in self.trigger_lists() {
            self.read_filter(word, |word| {
                let list = List(self.stored_words(word)?);
                for index in Trigger::all(&list).filter_map(|trigger| trigger.counter.index()) {
                    *used.get_mut(index / 64)? |= 1 << (index % 64);
                }
                Some(())
            });
        }
        used
    }

    /// Whether a trigger may act now: takes one of what its counter has left.
    ///
    /// Async-signal-safe. Over all processes it is true as often as was said when the trigger was set.
    // AcqRel, Acquire: pairs with the Release of `new_counter`, whose stamp it compares, and with itself: of
    // several processes each takes another one.
    pub fn take_count(&self, counter: CounterRef) -> bool {
        let Some(index) = counter.index() else { return true };
        let changed = self.counters().get(index).map(|word| {
            word.fetch_update(AcqRel, Acquire, |word| {
                let found = Counter(word);
                (found.stamp() == counter.stamp() && found.left() > 0).then(|| word - 1)
            })
        });
        changed.is_some_and(|changed| changed.is_ok())
    }

    /// Gives back what was taken: the trigger found nothing to do.
    // AcqRel, Acquire: as in `take_count`, with which it pairs.
    pub fn give_count_back(&self, counter: CounterRef) {
        if let Some(word) = counter.index().and_then(|index| self.counters().get(index)) {
            let _ = word.fetch_update(AcqRel, Acquire, |word| {
                let found = Counter(word);
                (found.stamp() == counter.stamp() && found.left() < Counter::MOST).then(|| word + 1)
            });
        }
    }
}
