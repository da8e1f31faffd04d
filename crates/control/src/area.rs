//! The file itself.

use crate::claim::{Claimed, EntryTable, Needs, Reach};
use crate::clocks::Clocks;
use crate::file_layout::FileLayout;
use crate::unusable::Unusable;
use abi::clock::TraceClock;
use abi::control::{CONTROL_SIZE, ControlHeader, ENABLED_OFFSET, EVENTS, MAGIC, Table, VERSION};
use abi::instance::RECORDING;
use core::ops::Range;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use shm::{LateSegment, Segment};

/// What distinguishes a session from others. Never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// A number that no other session has: its buffers have it, too.
    pub number: u64,
    /// Which events its agents have.
    pub agent: u64,
    /// The process that made it.
    pub creator: u32,
    /// The inode of the pid namespace that the creator counts in.
    pub pid_namespace: u64,
    /// The clocks when it was made.
    pub created: Clocks,
    /// The clock in which times of the recording are shown.
    pub trace_clock: TraceClock,
}

/// The control area of a session file that this process has mapped.
#[derive(Debug)]
pub struct ControlArea {
    segment: Segment,
    /// What belongs to the instances after the first, once it is mapped.
    extension: LateSegment,
    /// The lists of functions that instances trace, once they are mapped.
    functions: LateSegment,
    /// The profile of functions, once it is mapped.
    profile: LateSegment,
}

impl ControlArea {
    /// Makes a control area in a segment that reads as zeros and has [`CONTROL_SIZE`] bytes, for a file of
    /// this layout. None for another segment.
    // Relaxed: nobody else has the file yet; it gets its name, or is handed on, after that.
    pub fn create(segment: Segment, identity: &Identity, layout: &FileLayout) -> Option<ControlArea> {
        if segment.len() != CONTROL_SIZE {
            return None;
        }
        let file = ControlArea::of(segment);
        let header = file.header();
        let (buffers, buffer_size, mapped_size, cpus) = layout.numbers();
        header.version.store(VERSION, Relaxed);
        header.control_size.store(CONTROL_SIZE as u64, Relaxed);
        header.cpus.store(cpus, Relaxed);
        header.buffers.store(buffers as u32, Relaxed);
        header.buffer_size.store(buffer_size, Relaxed);
        header.mapped_size.store(mapped_size, Relaxed);
        header.identity.store(identity.number, Relaxed);
        header.agent.store(identity.agent, Relaxed);
        header.creator.store(u64::from(identity.creator), Relaxed);
        header.pid_namespace.store(identity.pid_namespace, Relaxed);
        header.collected.store(u64::MAX, Relaxed);
        header.kept_since.store(u64::MAX, Relaxed);
        identity.created.store(&header.created);
        header.trace_clock.store(identity.trace_clock as u32, Relaxed);
        header.magic.store(MAGIC, Relaxed);
        Some(file)
    }

    /// The control area in `segment`, after a check that it is one of ours.
    // Relaxed: these words don't change after the file was made.
    pub fn new(segment: Segment) -> Result<ControlArea, Unusable> {
        let header: &ControlHeader = segment.get(0).ok_or(Unusable::NotASession)?;
        if header.magic.load(Relaxed) != MAGIC {
            return Err(Unusable::NotASession);
        }
        let version = header.version.load(Relaxed);
        if version != VERSION {
            return Err(Unusable::Version(version));
        }
        let size = CONTROL_SIZE as u64;
        let clock = TraceClock::from_word(header.trace_clock.load(Relaxed));
        if segment.len() as u64 != size || header.control_size.load(Relaxed) != size || clock.is_none() {
            return Err(Unusable::Damaged);
        }
        Ok(ControlArea::of(segment))
    }

    fn of(segment: Segment) -> ControlArea {
        let [extension, functions, profile] = [const { LateSegment::new() }; 3];
        ControlArea { segment, extension, functions, profile }
    }

    /// Lets it use what belongs to the instances after the first. Without it these have no filters and no
    /// triggers here.
    pub fn extend(&self, extension: Segment) {
        self.extension.set(extension);
    }

    /// Whether it has that.
    pub fn is_extended(&self) -> bool {
        self.extension.get().is_some()
    }

    /// Lets it use the lists of functions. Without them there are none here.
    pub fn use_functions(&self, functions: Segment) {
        self.functions.set(functions);
    }

    /// Whether it has them.
    pub fn has_functions(&self) -> bool {
        self.functions.get().is_some()
    }

    /// Maps the profile of functions, which is this part of the file, unless that was done. Without it none
    /// is counted here. Whether it is mapped. Async-signal-safe.
    pub fn map_profile(&self, part: Range<u64>) -> bool {
        if self.profile.get().is_none()
            && let Some(profile) = self.map_more(part)
        {
            self.profile.set(profile);
        }
        self.profile.get().is_some()
    }

    #[inline]
    pub(crate) fn profile(&self) -> Option<&Segment> {
        self.profile.get()
    }

    pub(crate) fn function_lists(&self) -> Option<&Segment> {
        self.functions.get()
    }

    /// A part of this file that is not mapped, see [`Segment::map_more`]. None where the system refuses it.
    ///
    /// Async-signal-safe.
    pub fn map_more(&self, part: Range<u64>) -> Option<Segment> {
        self.segment.map_more(part).ok()
    }

    /// The addresses that are mapped of it.
    pub fn mapped(&self) -> impl Iterator<Item = Range<usize>> {
        [Some(&self.segment), self.extension.get(), self.functions.get(), self.profile.get()]
            .into_iter()
            .flatten()
            .map(Segment::addresses)
    }

    /// Has core dumps of the process leave it out.
    pub fn leave_out_of_dumps(&self) {
        self.segment.leave_out_of_dumps();
    }

    /// Which session this is.
    // Relaxed: these words don't change after the file was made.
    pub fn identity(&self) -> Identity {
        let header = self.header();
        Identity {
            number: header.identity.load(Relaxed),
            agent: header.agent.load(Relaxed),
            creator: header.creator.load(Relaxed) as u32,
            pid_namespace: header.pid_namespace.load(Relaxed),
            created: Clocks::load(&header.created),
            trace_clock: TraceClock::from_word(header.trace_clock.load(Relaxed)).unwrap_or(TraceClock::Mono),
        }
    }

    /// The clock that times of an instance are shown in.
    // Relaxed: the word carries nothing but itself.
    pub fn trace_clock(&self, instance: usize) -> TraceClock {
        TraceClock::from_word(self.clock_word(instance).load(Relaxed)).unwrap_or(TraceClock::Mono)
    }

    /// Changes it.
    // Relaxed: the word carries nothing but itself.
    pub fn set_trace_clock(&self, instance: usize, clock: TraceClock) {
        self.clock_word(instance).store(clock as u32, Relaxed);
    }

    fn clock_word(&self, instance: usize) -> &AtomicU32 {
        let made = self.instance(instance).filter(|_| instance != RECORDING);
        made.map_or(&self.header().trace_clock, |instance| &instance.trace_clock)
    }

    /// The words that say which events are on, by id.
    #[inline(always)]
    pub fn enabled_words(&self) -> &[AtomicU64; EVENTS] {
        self.fixed::<ENABLED_OFFSET, _, EVENTS>()
    }

    /// The `N` things of one kind at `OFFSET`: at once, for those who write events.
    #[inline(always)]
    pub(crate) fn fixed<const OFFSET: u64, T: shm::Shared, const N: usize>(&self) -> &[T; N] {
        const { assert!(OFFSET as usize + N * size_of::<T>() <= CONTROL_SIZE) };
        const { assert!(OFFSET.is_multiple_of(align_of::<T>() as u64)) };
        // SAFETY: `new` and `create` have checked that the file has its full size, and it starts with a page;
        // `Shared` promises that any content is a value and that writes by others are no data race.
        unsafe { &*self.segment.base().add(OFFSET as usize).cast() }
    }

    /// How many entries a table had no space for, or dropped although a reader or a snapshot needed them.
    // Relaxed: the count carries nothing but itself.
    pub fn refused(&self, table: Table) -> u64 {
        self.header().refused.get(table as usize).map_or(0, |count| count.load(Relaxed))
    }

    // Relaxed: the count carries nothing but itself.
    pub(crate) fn count_refused(&self, table: Table) {
        if let Some(count) = self.header().refused.get(table as usize) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Says that a reader has seen everything in the tables that ended before `time`. With `u64::MAX`:
    /// that there is none, so that entries need not be kept for it.
    // Relaxed: entries that ended before were read through their states, each with an Acquire of its own. Who
    // sees the old time keeps an entry longer than it must.
    pub fn set_collected(&self, time: u64) {
        self.header().collected.store(time, Relaxed);
    }

    /// Whether there is such a reader, or was one that was killed.
    // Acquire: keeps the caller's look at the tables after it; the word itself publishes nothing.
    pub fn is_collected(&self) -> bool {
        self.header().collected.load(Acquire) != u64::MAX
    }

    /// Counts what a claim has cost.
    pub(crate) fn count_lost<T>(&self, table: Table, claimed: Option<&Claimed<'_, T>>) {
        if claimed.is_none_or(|claimed| claimed.was_needed) {
            self.count_refused(table);
        }
    }

    /// Says that a snapshot is about to be taken whose oldest event is of `time`: entries that ended later
    /// are kept for it, until [`ControlArea::set_kept_since`] says otherwise. When it is taken comes
    /// [`ControlArea::keep_until`].
    // AcqRel and Release: pair with the Acquire loads of `needs`. A claim that is made at the same time may
    // still go by the old words, as if it had come before.
    pub fn keep_since(&self, time: u64) {
        self.header().kept_since.fetch_min(time, AcqRel);
        self.header().kept_until.store(u64::MAX, Release);
    }

    /// Says that the last snapshot was taken before `time`: entries that start later are not kept for it.
    // Release: pairs with the Acquire of `needs`: the snapshot was taken before.
    pub fn keep_until(&self, time: u64) {
        self.header().kept_until.store(time, Release);
    }

    /// The time of the oldest event in a snapshot; `u64::MAX` when none is kept.
    // Acquire: pairs with the AcqRel of `keep_since` and `set_kept_since`.
    pub fn kept_since(&self) -> u64 {
        self.header().kept_since.load(Acquire)
    }

    /// Says which is the oldest event in a snapshot, after one was dropped. False, and nothing changed, when
    /// it is no longer `before`: then a snapshot was taken meanwhile.
    // AcqRel: pairs with the Acquire of `kept_since`, and with that of `keep_since`, of which one is refused
    // or seen. Relaxed on failure: nothing is done.
    pub fn set_kept_since(&self, before: u64, time: u64) -> bool {
        self.header().kept_since.compare_exchange(before, time, AcqRel, Relaxed).is_ok()
    }

    /// Who needs what the tables say of the past.
    // Acquire: pairs with `keep_since` and `keep_until`.
    pub(crate) fn needs(&self) -> Needs {
        let header = self.header();
        let kept = (self.kept_since(), header.kept_until.load(Acquire));
        Needs { kept, collected: header.collected.load(Acquire) }
    }

    pub(crate) fn header(&self) -> &ControlHeader {
        // SAFETY: `new` and `create` have checked that the file has its full size.
        unsafe { &*self.segment.base().cast() }
    }

    /// Where it is mapped.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// What belongs to the instances after the first, if it is mapped.
    #[inline]
    pub(crate) fn extension(&self) -> Option<&Segment> {
        self.extension.get()
    }

    /// `entries` things of one kind in the file.
    pub(crate) fn array<T: shm::Shared>(&self, offset: u64, entries: usize) -> &[T] {
        self.segment.slice(offset, entries).unwrap_or(&[])
    }

    /// A table of the file.
    pub(crate) fn table<'a, T: shm::Shared>(
        &'a self,
        states: u64,
        entries: u64,
        count: usize,
        reach: Reach<'a>,
    ) -> EntryTable<'a, T> {
        EntryTable { states: self.array(states, count), entries: self.array(entries, count), reach }
    }
}
