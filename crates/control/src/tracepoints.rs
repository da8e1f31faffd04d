//! Tracepoints with a format of printf: stopped together, and used by processes.
//!
//! A tracepoint is in use while a process lives that has it. When the first comes after the last has gone, it
//! is off, but for what the [rules](ControlArea::set_rules) say: nobody's program is recorded as somebody
//! enabled the tracepoint of another, long ago.

use crate::area::ControlArea;
use crate::processes::ProcessInfo;
use abi::control::{PROCESSES, TRACEPOINT_USES, TRACEPOINT_USES_OFFSET, TracepointUse};
use abi::instance::INSTANCES;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};

impl ControlArea {
    /// Stops all tracepoints with a format, or no longer does. Whether an instance wants one stays as it is.
    ///
    /// Only for one who has the session's lock; killed half-way he leaves some as they were.
    // SeqCst: pairs with the fence of `follow_stop`: of this and of a tracepoint that is entered, one is seen
    // by the other.
    pub fn stop_tracepoints(&self, is_stopped: bool) {
        self.header().tracepoints_stopped.store(is_stopped.into(), SeqCst);
        // Before the events are looked at.
        fence(SeqCst);
        for id in self.event_ids().filter(|id| self.is_declared(*id)) {
            self.set_stopped(id, is_stopped);
        }
    }

    /// Whether they are stopped.
    // Relaxed: the word carries nothing but itself.
    pub fn are_tracepoints_stopped(&self) -> bool {
        self.header().tracepoints_stopped.load(Relaxed) != 0
    }

    /// Stops a tracepoint that was just entered, where all are.
    // SeqCst: pairs with `stop_tracepoints`.
    pub(crate) fn follow_stop(&self, id: u16) {
        let stopped = &self.header().tracepoints_stopped;
        loop {
            // After the entry of the event, and after what was set.
            fence(SeqCst);
            let seen = stopped.load(SeqCst);
            if (seen != 0) == self.is_stopped(id) {
                return;
            }
            self.set_stopped(id, seen != 0);
        }
    }

    /// Says that the process with this entry has a tracepoint, from now on: to be said once. Where nobody
    /// else has it, it is off from now on, but for the rules. What finds no space is never said to be out of
    /// use.
    ///
    /// Async-signal-safe.
    // AcqRel: pairs with the Acquire of `is_used`. Relaxed: a hint.
    pub fn use_tracepoint(&self, id: u16, entry: u32) {
        let Some(process) = self.process(entry) else { return };
        if !self.is_used(id) {
            self.turn_off(id);
        }
        let word = TracepointUse::of(id, entry, process.start_time).0;
        let taken = &self.header().tracepoint_uses;
        let mut reach = taken.load(Acquire) as usize;
        if reach.is_power_of_two() {
            self.forget_ended_uses(reach);
        }
        loop {
            let is_free = |found: &&AtomicU64| found.load(Relaxed) == 0;
            for free in self.uses().iter().take(reach).filter(is_free) {
                if free.compare_exchange(0, word, AcqRel, Relaxed).is_ok() {
                    return;
                }
            }
            if reach >= TRACEPOINT_USES {
                return;
            }
            reach += 1;
            taken.fetch_max(reach as u32, AcqRel);
        }
    }

    /// Says that the process with this entry no longer has a tracepoint. Async-signal-safe.
    // AcqRel: as for `use_tracepoint`. Relaxed: only the process itself stores and removes this word.
    pub fn leave_tracepoint(&self, id: u16, entry: u32) {
        let Some(process) = self.process(entry) else { return };
        let word = TracepointUse::of(id, entry, process.start_time).0;
        let own = self.used_words().find(|found| found.load(Relaxed) == word);
        if let Some(own) = own {
            // Nobody else changes the word of a process that lives.
            let _ = own.compare_exchange(word, 0, AcqRel, Relaxed);
        }
    }

    /// Whether a process that has not ended has a tracepoint. Where the table is full, it may be any.
    pub fn is_used(&self, id: u16) -> bool {
        self.is_used_by(id, |_| true)
    }

    /// Whether one does for which `counts` says so.
    // Acquire: pairs with the AcqRel of `use_tracepoint`.
    pub fn is_used_by(&self, id: u16, counts: impl Fn(&ProcessInfo) -> bool) -> bool {
        let is_full = self.header().tracepoint_uses.load(Acquire) as usize >= TRACEPOINT_USES;
        let users = self.used_words().map(|word| TracepointUse(word.load(Acquire)));
        is_full
            || users
                .filter(|found| found.event() == id)
                .any(|found| self.user(found).is_some_and(|user| counts(&user)))
    }

    /// The process of a use, unless it has ended.
    fn user(&self, found: TracepointUse) -> Option<ProcessInfo> {
        self.process(found.entry()).filter(|process| {
            process.end_time == 0
                && TracepointUse::of(found.event(), process.entry, process.start_time) == found
        })
    }

    /// Frees the words of processes that have ended.
    // AcqRel: as for `use_tracepoint`.
    fn forget_ended_uses(&self, reach: usize) {
        for word in self.uses().iter().take(reach) {
            let found = TracepointUse(word.load(Acquire));
            if found.0 != 0 && self.user(found).is_none() {
                let _ = word.compare_exchange(found.0, 0, AcqRel, Relaxed);
            }
        }
    }

    /// Disables an event everywhere but where the rules say otherwise.
    #[cold]
    #[inline(never)]
    fn turn_off(&self, id: u16) {
        for instance in 0..INSTANCES {
            if self.is_wanted(id, instance) {
                self.turn(id, instance, false);
            }
        }
        let mut buffer = [0; LONGEST];
        if let Some(found) = self.describe(id, &mut buffer) {
            self.apply_rules(id, found.system, found.name);
        }
    }

    // Acquire: pairs with the AcqRel of `use_tracepoint`.
    fn used_words(&self) -> impl Iterator<Item = &AtomicU64> {
        let taken: &AtomicU32 = &self.header().tracepoint_uses;
        self.uses().iter().take(taken.load(Acquire) as usize)
    }

    fn uses(&self) -> &[AtomicU64] {
        self.array(TRACEPOINT_USES_OFFSET, TRACEPOINT_USES)
    }
}

/// The longest description.
const LONGEST: usize = 8192;

const _: () = assert!(PROCESSES <= TRACEPOINT_USES);
