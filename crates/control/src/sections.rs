//! Which sections of programs are measured, and how long the longest was.

use crate::area::ControlArea;
use abi::control::{MeasuredSections, SECTIONS_ID};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

impl ControlArea {
    /// Which sections are measured, and for which instance. Async-signal-safe. Cost: a load.
    // Acquire: pairs with the Release of `measure_sections`: the instance's maximum was set before.
    #[inline]
    pub fn measured_sections(&self) -> MeasuredSections {
        MeasuredSections(self.header().sections.load(Acquire))
    }

    /// Has sections measured for an instance that these states make
    /// ([`abi::control::SIGNALS_BLOCKED`] and others), or none any more. The calls of these events are looked
    /// at for that, whether they are on or not. Traced processes see it at once, and leave out sections that
    /// have begun before. Only for one who has the session's lock.
    // Release: pairs with the Acquire of `measured_sections`: the instance's maximum was set before.
    pub fn measure_sections(&self, measured: Option<(usize, u32)>, watched: impl Iterator<Item = u16>) {
        let before = self.measured_sections();
        if let Some(instance) = before.instance() {
            self.enable(SECTIONS_ID, instance, false);
            let was_watched = |id: &u16| self.switched(*id).watched.contains(instance);
            self.event_ids().filter(was_watched).for_each(|id| self.set_watched(id, instance, false));
        }
        self.header().sections.store(before.next(measured).0, Release);
        if let Some((instance, _)) = measured {
            self.enable(SECTIONS_ID, instance, true);
            watched.for_each(|id| self.set_watched(id, instance, true));
        }
    }

    /// The longest section of an instance so far, in nanoseconds, or what was set. Async-signal-safe.
    // Relaxed: the word carries nothing but itself.
    pub fn max_latency(&self, instance: usize) -> u64 {
        self.instance(instance).map_or(0, |instance| instance.max_latency.load(Relaxed))
    }

    /// Says what only longer ones exceed. Traced processes see it at once.
    // Relaxed: the word carries nothing but itself.
    pub fn set_max_latency(&self, instance: usize, nanoseconds: u64) {
        if let Some(instance) = self.instance(instance) {
            instance.max_latency.store(nanoseconds, Relaxed);
        }
    }

    /// Notes how long a section was that has ended, and says whether its trace is to be kept: as it was the
    /// longest, or, where the instance has a threshold, as it was as long as that. Of several that end at
    /// once each that is longer than all before hears so. Async-signal-safe. Cost: some loads, or one atomic
    /// instruction.
    // Relaxed: the word carries nothing but itself.
    pub fn exceeds_latency(&self, instance: usize, nanoseconds: u64) -> bool {
        let threshold = self.instance_threshold(instance);
        if threshold != 0 {
            let exceeds = nanoseconds >= threshold;
            if exceeds {
                self.set_max_latency(instance, nanoseconds);
            }
            return exceeds;
        }
        let Some(instance) = self.instance(instance) else { return false };
        nanoseconds > instance.max_latency.load(Relaxed)
            && nanoseconds > instance.max_latency.fetch_max(nanoseconds, Relaxed)
    }
}
