//! Which events are wanted where.
//!
//! An event's switches say what is to be done with it in which instance. Its enabled word, which is all that
//! is looked at where it happens, is a summary of them: see [`abi::control::BY_SWITCHES`].
//!
//! Who changes switches, or the flags of an instance, computes the summary and stores it, and looks whether
//! they still are what it was computed from, else does it again. So of two who change them at once the one
//! that stores last stores what holds. One that is killed in between leaves a summary that doesn't hold,
//! until the next that changes anything has [mended](ControlArea::mend) it.

use crate::area::ControlArea;
use crate::instance_set::InstanceSet;
use abi::control::{
    BY_SWITCHES, CALLING, EVENTS, FIRST_ALONE, OFF, SECTIONS_ID, SWITCHES_OFFSET, Switches, WATCHED,
    event_index, is_filter_word, is_of_tracer,
};
use abi::instance::{FUNCTION_FLAGS, INSTANCE_WORDS, INSTANCES, RECORDING};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicU64, fence};

/// The switches of an event, as they were at a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Switched {
    /// Where it is recorded: where that is wanted, and it isn't dropped.
    pub on: InstanceSet,
    /// Where a filter says which of them, on or not.
    pub filtered: InstanceSet,
    /// Where something is done when it happens, on or not.
    pub triggered: InstanceSet,
    /// Where the latency tracer looks at it, on or not.
    pub watched: InstanceSet,
}

impl Switched {
    /// What the event's word is to be, given what else it depends on.
    fn summary(self, given: Given) -> u64 {
        let is_first_alone = self.on == InstanceSet::FIRST && given.flags == 0;
        match (self.on.is_empty(), self.triggered.is_empty()) {
            (true, true) if !self.watched.is_empty() => WATCHED,
            (true, true) if given.is_calling => CALLING,
            (true, true) => OFF,
            (false, true) if is_first_alone && !self.filtered.contains(0) => FIRST_ALONE,
            (false, true) if is_first_alone && is_filter_word(given.filter) => given.filter,
            _ => BY_SWITCHES,
        }
    }
}

/// What a summary depends on in addition to the switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Given {
    /// The flags of the first instance that concern the event.
    flags: u32,
    /// The event's filter there.
    filter: u64,
    /// Whether processes are called to the slow path.
    is_calling: bool,
}

/// Where an event is recorded, unless it is stopped.
// Acquire: pairs with the SeqCst of `set_dropped`: what says so was stored before.
#[inline]
fn recorded_in(switches: &Switches) -> InstanceSet {
    let on = InstanceSet::load(&switches.on);
    if switches.dropped.load(Acquire) == 0 { on } else { on.without(RECORDING) }
}

impl ControlArea {
    /// Where an event is wanted, and how. Nowhere for an id that is none. Async-signal-safe.
    // Acquire: pairs with the SeqCst of `set_dropped`: what says so was stored before.
    #[inline]
    pub fn switched(&self, id: u16) -> Switched {
        let Some(switches) = self.switches(id) else { return Switched::default() };
        if switches.stopped.load(Acquire) != 0 {
            return Switched::default();
        }
        // What belongs to an event that is on was there before it was enabled.
        let on = recorded_in(switches);
        let filtered = InstanceSet::load(&switches.filtered);
        let [triggered, watched] = [&switches.triggered, &switches.watched].map(InstanceSet::load);
        Switched { on, filtered, triggered, watched }
    }

    /// Switches an event on or off in an instance. Traced processes see it at once. Its filter there stays as
    /// it is, and holds from the first moment on. One that is dropped no longer is.
    pub fn enable(&self, id: u16, instance: usize, on: bool) {
        self.turn(id, instance, on);
        if instance == RECORDING {
            self.end_drop(id);
        }
    }

    /// Enables or disables it, and says whether it was otherwise: of several who do it at once, one hears so.
    pub fn turn(&self, id: u16, instance: usize, on: bool) -> bool {
        self.switch(id, |switches| &switches.on, instance, on)
    }

    /// Drops an event from the first instance, or no longer does: whether that was otherwise.
    // SeqCst: pairs with the Acquire of `switched`, and stands before the loads of `summarize`.
    pub(crate) fn set_dropped(&self, id: u16, is_dropped: bool) -> bool {
        let Some(switches) = self.switches(id) else { return false };
        let before = switches.dropped.swap(is_dropped.into(), SeqCst);
        self.summarize(id);
        before != u64::from(is_dropped)
    }

    /// Whether it is dropped from the first instance, on there or not.
    // Relaxed: a hint.
    pub(crate) fn is_dropped(&self, id: u16) -> bool {
        self.switches(id).is_some_and(|switches| switches.dropped.load(Relaxed) != 0)
    }

    /// Whether an event is on in an instance, and perhaps dropped there.
    pub(crate) fn is_wanted(&self, id: u16, instance: usize) -> bool {
        self.switches(id).is_some_and(|switches| InstanceSet::load(&switches.on).contains(instance))
    }

    /// Whether an event is on in an instance and isn't dropped: it is recorded there, unless it is a
    /// tracepoint while those are [stopped](Self::stop_tracepoints).
    pub fn is_enabled(&self, id: u16, instance: usize) -> bool {
        self.switches(id).is_some_and(|switches| recorded_in(switches).contains(instance))
    }

    /// Stops an event, or no longer does.
    // SeqCst: pairs with the Acquire of `switched`, and stands before the loads of `summarize`.
    pub(crate) fn set_stopped(&self, id: u16, is_stopped: bool) {
        if let Some(switches) = self.switches(id) {
            switches.stopped.store(is_stopped.into(), SeqCst);
            self.summarize(id);
        }
    }

    /// Whether it is stopped.
    // Acquire: as for `switched`.
    pub(crate) fn is_stopped(&self, id: u16) -> bool {
        self.switches(id).is_some_and(|switches| switches.stopped.load(Acquire) != 0)
    }

    /// Says whether something is to be done in an instance when an event happens, be it on or not.
    pub fn set_triggered(&self, id: u16, instance: usize, is_triggered: bool) {
        self.switch(id, |switches| &switches.triggered, instance, is_triggered);
    }

    /// Says whether the latency tracer of an instance looks at an event's call, be it on or not.
    pub(crate) fn set_watched(&self, id: u16, instance: usize, is_watched: bool) {
        self.switch(id, |switches| &switches.watched, instance, is_watched);
    }

    /// Says whether an event has a filter in an instance.
    pub(crate) fn set_filtered(&self, id: u16, instance: usize, is_filtered: bool) {
        self.switch(id, |switches| &switches.filtered, instance, is_filtered);
    }

    // SeqCst: pairs with the Acquire of `InstanceSet::load`, and stands before the loads of `summarize`.
    fn switch(
        &self,
        id: u16,
        words: impl FnOnce(&Switches) -> &[AtomicU64; INSTANCE_WORDS],
        instance: usize,
        on: bool,
    ) -> bool {
        let words = self.switches(id).map(words);
        let Some(word) = words.and_then(|words| words.get(instance / 64)).filter(|_| instance < INSTANCES)
        else {
            return false;
        };
        let bit = 1 << (instance % 64);
        let before = if on { word.fetch_or(bit, SeqCst) } else { word.fetch_and(!bit, SeqCst) };
        self.summarize(id);
        (before & bit != 0) != on
    }

    /// The flags of an instance: [`abi::instance::PIDS`] and others. 0 for one that there can't be.
    // Acquire: pairs with the SeqCst of `set_instance_flags`: what a flag stands for was stored before.
    #[inline]
    pub fn instance_flags(&self, instance: usize) -> u32 {
        self.instance(instance).map_or(0, |instance| instance.flags.load(Acquire))
    }

    /// Sets or takes away flags of an instance. Traced processes see it at once. Only for one who has the
    /// session's lock: killed half-way he leaves an instance that is looked at for nothing.
    // SeqCst: pairs with the Acquire of `instance_flags` and `flagged`; the instance is flagged before it has
    // flags, and stands before the loads of `summarize`.
    pub fn set_instance_flags(&self, instance: usize, flags: u32, on: bool) {
        let flagged = self.header().flagged.get(instance / 64);
        let (Some(found), Some(flagged)) = (self.instance(instance), flagged) else { return };
        let bit = 1 << (instance % 64);
        if on {
            flagged.fetch_or(bit, SeqCst);
            found.flags.fetch_or(flags, SeqCst);
        } else if found.flags.fetch_and(!flags, SeqCst) & !flags == 0 {
            flagged.fetch_and(!bit, SeqCst);
        }
        if instance == 0 {
            self.mend_summaries();
        }
    }

    /// The instances that may have flags. Async-signal-safe.
    #[inline]
    pub fn flagged(&self) -> InstanceSet {
        InstanceSet::load(&self.header().flagged)
    }

    /// Where any event is on, or something is to be done when it happens.
    pub(crate) fn wanted_anywhere(&self) -> InstanceSet {
        let wanted = self.event_ids().map(|id| self.switched(id));
        wanted.fold(InstanceSet::default(), |all, event| all.union(event.on).union(event.triggered))
    }

    /// Forgets that an event is wanted in an instance, and its filter there.
    pub(crate) fn want_not(&self, id: u16, instance: usize) {
        if self.is_wanted(id, instance) {
            self.enable(id, instance, false);
        }
        self.set_triggers(id, instance, None);
        self.set_filter(id, instance, None);
    }

    /// Brings the words of all events up to date with their switches.
    // Relaxed: a hint. `summarize` does it again with all that it needs.
    pub(crate) fn mend_summaries(&self) {
        for id in self.event_ids().chain([SECTIONS_ID]) {
            let word = self.enabled_words().get(event_index(id));
            let summary = self.switched(id).summary(self.given(id));
            if word.is_some_and(|word| word.load(Relaxed) != summary) {
                self.summarize(id);
            }
        }
    }

    // Acquire: pairs with the Release of `set_filter`: the filter is there for one who finds its word in the
    // summary.
    fn given(&self, id: u16) -> Given {
        let concerns = if is_of_tracer(id) { FUNCTION_FLAGS } else { !FUNCTION_FLAGS };
        Given {
            flags: self.instance_flags(0) & concerns,
            filter: self.filter_word(id, 0).map_or(0, |word| word.load(Acquire)),
            is_calling: self.is_calling(),
        }
    }

    /// Brings an event's word up to date.
    // Release: pairs with the Acquire of whoever looks at the event's word: the filter is there. The SeqCst
    // fence stands between this store and the loads, and pairs with the SeqCst changes of switches and flags:
    // of two who change them at once, one sees the other's (see the module).
    fn summarize(&self, id: u16) {
        let Some(word) = self.enabled_words().get(event_index(id)) else { return };
        loop {
            let seen = (self.switched(id), self.given(id));
            // The filter is there for one who finds its word here.
            word.store(seen.0.summary(seen.1), Release);
            // Between the store and the loads: see the module.
            fence(SeqCst);
            if (self.switched(id), self.given(id)) == seen {
                return;
            }
        }
    }

    #[inline]
    fn switches(&self, id: u16) -> Option<&Switches> {
        self.fixed::<SWITCHES_OFFSET, _, EVENTS>().get(event_index(id))
    }
}
