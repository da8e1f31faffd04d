//! Probes: what is recorded where, and how often they were hit.
//!
//! They are published as lists of functions are, see [`functions`](crate::ControlArea::set_function_words):
//! who has changed them counts up [`change_functions`](crate::ControlArea::change_functions).

use crate::area::ControlArea;
use crate::functions::FunctionWords;
use abi::control::{
    FUNCTIONS_SIZE, PROBE_COUNTS_SIZE, PROBE_HITS, PROBE_HITS_SHARDS, PROBE_WORDS, ProbeHits,
};
use core::ffi::CStr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use rustix::io;
use shm::Errno;

impl ControlArea {
    /// The probes, as the crate `probe` compiles them. None where there are none, or they are not mapped.
    ///
    /// Async-signal-safe.
    // Acquire: pairs with the Release of `set_probe_words`.
    pub fn probe_words(&self) -> Option<FunctionWords<'_>> {
        let word = self.header().probes.load(Acquire);
        let words = (word as u32 as usize).min(PROBE_WORDS / 8);
        let words = self.function_lists()?.slice(self.probes_place(word >> 32), words)?;
        (!words.is_empty()).then_some(FunctionWords(words))
    }

    /// Whether there are probes. Async-signal-safe.
    // Relaxed: what is in them is read by way of `probe_words`.
    pub fn has_probes(&self) -> bool {
        self.header().probes.load(Relaxed) as u32 != 0
    }

    /// A number that goes up whenever they are replaced. Async-signal-safe.
    // Acquire: what is read of them stands between two looks at it.
    #[inline(always)]
    pub fn probes_version(&self) -> u64 {
        self.header().probes.load(Acquire) >> 32
    }

    /// Replaces them, in this file, which is at `path`. Errors: what fallocate(2) says; `E2BIG` for more than
    /// [`PROBE_WORDS`] bytes; `EINVAL` where they are not mapped.
    ///
    /// Only who has the session's lock does this. One that is killed meanwhile has changed nothing.
    // Acquire, Release: pairs with the Acquire of `probe_words`: who sees the version sees its words.
    // Relaxed: those are of the version that nobody uses yet.
    pub fn set_probe_words(&self, path: &CStr, words: &[u64]) -> Result<(), Errno> {
        let error = |error: io::Errno| Errno(error.raw_os_error());
        let area = self.function_lists().ok_or(error(io::Errno::INVAL))?;
        let version = (self.header().probes.load(Acquire) >> 32).wrapping_add(1) & 0xffff_ffff;
        let start = self.probes_place(version);
        let bytes = size_of_val(words);
        if bytes > PROBE_WORDS {
            return Err(error(io::Errno::TOOBIG));
        }
        let hits = self.hits_place();
        let counts = hits..hits + PROBE_COUNTS_SIZE as u64;
        shm::reserve(path, area, [start..start + bytes as u64, counts].into_iter())?;
        let place: &[AtomicU64] = area.slice(start, words.len()).ok_or(error(io::Errno::INVAL))?;
        for (to, from) in place.iter().zip(words) {
            to.store(*from, Relaxed);
        }
        self.header().probes.store(version << 32 | words.len() as u64, Release);
        Ok(())
    }

    /// How often the probe of a counter was hit while its event was enabled, in all processes.
    // Relaxed: the count carries nothing but itself.
    pub fn probe_hits(&self, counter: u16) -> u64 {
        self.counters_of(counter).map(|counter| counter.hits.load(Relaxed)).sum()
    }

    /// How often its event could not be recorded.
    // Relaxed: the count carries nothing but itself.
    pub fn probe_missed(&self, counter: u16) -> u64 {
        self.counters_of(counter).map(|counter| counter.missed.load(Relaxed)).sum()
    }

    /// In how many processes there was no place for it.
    // Relaxed: the count carries nothing but itself.
    pub fn probe_unplaced(&self, counter: u16) -> u64 {
        self.unplaced(counter).map_or(0, |unplaced| unplaced.load(Relaxed))
    }

    /// Forgets all three.
    // Relaxed: the counts carry nothing but themselves.
    pub fn forget_probe_hits(&self, counter: u16) {
        for counter in self.counters_of(counter) {
            counter.hits.store(0, Relaxed);
            counter.missed.store(0, Relaxed);
        }
        if let Some(unplaced) = self.unplaced(counter) {
            unplaced.store(0, Relaxed);
        }
    }

    /// Counts that a thread has come to a probe. Async-signal-safe.
    // Relaxed: the count carries nothing but itself.
    #[inline(always)]
    pub fn count_probe_hit(&self, counter: u16, tid: u32) {
        if let Some(counter) = self.counter(counter, tid as usize % PROBE_HITS_SHARDS) {
            counter.hits.fetch_add(1, Relaxed);
        }
    }

    /// Counts that an event of a probe could not be recorded. Async-signal-safe.
    // Relaxed: the count carries nothing but itself.
    pub fn count_probe_miss(&self, counter: u16) {
        if let Some(counter) = self.counter(counter, 0) {
            counter.missed.fetch_add(1, Relaxed);
        }
    }

    /// Counts that a process has no place for a probe. Async-signal-safe.
    // Relaxed: the count carries nothing but itself.
    pub fn count_probe_unplaced(&self, counter: u16) {
        if let Some(unplaced) = self.unplaced(counter) {
            unplaced.fetch_add(1, Relaxed);
        }
    }

    fn unplaced(&self, counter: u16) -> Option<&AtomicU64> {
        let place = self.hits_place() + (PROBE_HITS * PROBE_HITS_SHARDS * size_of::<ProbeHits>()) as u64;
        self.function_lists()?.slice(place, PROBE_HITS)?.get(usize::from(counter))
    }

    fn counters_of(&self, counter: u16) -> impl Iterator<Item = &ProbeHits> {
        (0..PROBE_HITS_SHARDS).filter_map(move |shard| self.counter(counter, shard))
    }

    #[inline(always)]
    fn counter(&self, counter: u16, shard: usize) -> Option<&ProbeHits> {
        let all = self.function_lists()?.slice(self.hits_place(), PROBE_HITS * PROBE_HITS_SHARDS)?;
        all.get(shard * PROBE_HITS + usize::from(counter))
    }

    /// Where probes of a version are.
    fn probes_place(&self, version: u64) -> u64 {
        self.after_lists() + (version & 1) * PROBE_WORDS as u64
    }

    #[inline(always)]
    fn hits_place(&self) -> u64 {
        self.after_lists() + 2 * PROBE_WORDS as u64
    }

    // Relaxed: the word doesn't change after the file was made.
    #[inline(always)]
    fn after_lists(&self) -> u64 {
        u64::from(self.header().buffers.load(Relaxed)) * FUNCTIONS_SIZE as u64
    }
}
