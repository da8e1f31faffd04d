//! Lists of threads: whose events an instance records, or doesn't.
//!
//! A list is a bit for each TID, and a bit for each page of those that may have any. Who records looks at two
//! words of it. Whoever has the session's lock adds threads, or takes all away; traced processes add their
//! children, and take away who ends, where the option says so.
//!
//! Source: `kernel/trace/pid_list.c` of Linux 6.18.

use crate::file::ControlFile;
use abi::control::{
    PID_BITS, PID_BITS_OFFSET, PID_LISTS, PID_LISTS_OFFSET, PID_PARTS, PidList, TIDS, TIDS_IN_PART,
};
use abi::instance::{INSTANCES, NOT_PIDS, PIDS};
use core::ffi::CStr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use shm::Errno;

/// Which list of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum PidFilter {
    /// Its threads' events alone are recorded: `set_event_pid`.
    Only = 0,
    /// Its threads' events alone are not: `set_event_notrace_pid`.
    Never = 1,
}

impl PidFilter {
    /// Both.
    pub const ALL: [PidFilter; PID_LISTS] = [PidFilter::Only, PidFilter::Never];

    /// The flag of an instance that has the list.
    const fn flag(self) -> u32 {
        match self {
            PidFilter::Only => PIDS,
            PidFilter::Never => NOT_PIDS,
        }
    }
}

/// A list of an instance, there or not.
#[derive(Clone, Copy)]
struct Place<'a> {
    list: &'a PidList,
    bits: &'a [AtomicU64],
}

impl<'a> Place<'a> {
    /// The word of a list's bits that has a TID's, if its part is one that has any.
    #[inline]
    fn word(self, tid: u32) -> Option<&'a AtomicU64> {
        let part = tid as usize / TIDS_IN_PART;
        let parts = self.list.parts.get(part / 64)?.load(Acquire);
        if parts >> (part % 64) & 1 == 0 {
            return None;
        }
        self.bits.get(tid as usize / 64)
    }

    #[inline]
    fn contains(self, tid: u32) -> bool {
        self.word(tid).is_some_and(|word| word.load(Relaxed) >> (tid % 64) & 1 == 1)
    }

    /// Adds a TID, for whose part there is memory.
    fn add(self, tid: u32) {
        let (Some(word), part) = (self.bits.get(tid as usize / 64), tid as usize / TIDS_IN_PART) else {
            return;
        };
        word.fetch_or(1 << (tid % 64), SeqCst);
        if let Some(parts) = self.list.parts.get(part / 64) {
            parts.fetch_or(1 << (part % 64), SeqCst);
        }
    }

    fn remove(self, tid: u32) {
        if let Some(word) = self.word(tid) {
            word.fetch_and(!(1 << (tid % 64)), SeqCst);
        }
    }

    /// The parts that may have any.
    fn parts(self) -> impl Iterator<Item = usize> {
        let has_any = move |part: &usize| {
            self.list.parts.get(part / 64).is_some_and(|word| word.load(Acquire) >> (part % 64) & 1 == 1)
        };
        (0..PID_PARTS).filter(has_any)
    }

    fn words_of(self, part: usize) -> &'a [AtomicU64] {
        const WORDS: usize = TIDS_IN_PART / 64;
        self.bits.get(part * WORDS..(part + 1) * WORDS).unwrap_or_default()
    }

    /// Adds numbers that no thread can have. False, and nothing changed, where there is no room.
    fn add_others(self, numbers: &[u32]) -> bool {
        let places = || self.list.others.iter().map(|other| (other, other.load(Relaxed)));
        let is_new = |number: &&u32| !places().any(|(_, there)| there == **number);
        let free = places().filter(|(_, there)| *there == 0).map(|(place, _)| place);
        if numbers.iter().filter(is_new).count() > free.clone().count() {
            return false;
        }
        // One that is stored is no longer free, but neither is it new for the numbers behind it.
        numbers.iter().filter(is_new).zip(free).for_each(|(number, place)| place.store(*number, Relaxed));
        true
    }

    /// Forgets all. Who is killed over it leaves what the next one forgets.
    fn clear(self) {
        for part in self.parts() {
            self.words_of(part).iter().for_each(|word| word.store(0, Relaxed));
        }
        self.list.parts.iter().for_each(|word| word.store(0, SeqCst));
        self.list.others.iter().for_each(|other| other.store(0, Relaxed));
    }
}

impl ControlFile {
    #[inline]
    fn pids(&self, instance: usize, filter: PidFilter) -> Option<Place<'_>> {
        let index = instance.checked_mul(PID_LISTS).filter(|_| instance < INSTANCES)? + filter as usize;
        let list = self.array::<PidList>(PID_LISTS_OFFSET, INSTANCES * PID_LISTS).get(index)?;
        Some(Place { list, bits: self.array(PID_BITS_OFFSET + (index * PID_BITS) as u64, PID_BITS / 8) })
    }

    /// Whether the lists of an instance with these flags keep a thread's events from being recorded.
    ///
    /// Async-signal-safe. Cost: two loads for each list that there is.
    #[inline]
    pub fn ignores(&self, instance: usize, flags: u32, tid: u32) -> bool {
        let is_in = |filter| self.pids(instance, filter).is_some_and(|place| place.contains(tid));
        flags & PIDS != 0 && !is_in(PidFilter::Only) || flags & NOT_PIDS != 0 && is_in(PidFilter::Never)
    }

    /// Whether an instance has a list, which may be empty.
    pub fn has_pids(&self, instance: usize, filter: PidFilter) -> bool {
        self.instance_flags(instance) & filter.flag() != 0
    }

    /// Calls `visit` with each number of a list, upwards.
    pub fn visit_pids(&self, instance: usize, filter: PidFilter, mut visit: impl FnMut(u32)) {
        let Some(place) = self.pids(instance, filter).filter(|_| self.has_pids(instance, filter)) else {
            return;
        };
        for part in place.parts() {
            for (index, word) in place.words_of(part).iter().enumerate() {
                let mut left = word.load(Relaxed);
                while left != 0 {
                    visit((part * TIDS_IN_PART + index * 64) as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
        let others = place.list.others.iter().map(|other| other.load(Relaxed));
        let mut last = 0;
        while let Some(next) = others.clone().filter(|other| *other > last).min() {
            visit(next);
            last = next;
        }
    }

    /// Gives memory to the parts of a list that have these TIDs, in this file, which is at `path`. Errors: what
    /// fallocate(2) says.
    pub fn reserve_pids(
        &self,
        path: &CStr,
        instance: usize,
        filter: PidFilter,
        tids: impl Iterator<Item = u32>,
    ) -> Result<(), Errno> {
        const PART: u64 = (TIDS_IN_PART / 8) as u64;
        let list = PID_BITS_OFFSET + ((instance * PID_LISTS + filter as usize) * PID_BITS) as u64;
        let parts = tids.map(|tid| tid as usize / TIDS_IN_PART).filter(|part| *part < PID_PARTS);
        let ranges = parts.map(|part| list + part as u64 * PART).map(|start| start..start + PART);
        shm::reserve(path, self.segment(), ranges)
    }

    /// Adds numbers, sorted and each once, to a list, which from then on there is. False, and nothing changed,
    /// where it has no room for those that no thread can have. Traced processes see it at once. Only for who has
    /// the session's lock, and has [reserved](ControlFile::reserve_pids) memory.
    pub fn add_pids(&self, instance: usize, filter: PidFilter, numbers: &[u32]) -> bool {
        let Some(place) = self.pids(instance, filter) else { return false };
        if !self.has_pids(instance, filter) {
            place.clear();
        }
        let (tids, others) = numbers.split_at(numbers.partition_point(|number| (*number as usize) < TIDS));
        if !place.add_others(others) {
            return false;
        }
        tids.iter().for_each(|tid| place.add(*tid));
        self.set_instance_flags(instance, filter.flag(), true);
        true
    }

    /// Takes a list away. Traced processes see it at once. Only for who has the session's lock.
    pub fn clear_pids(&self, instance: usize, filter: PidFilter) {
        self.set_instance_flags(instance, filter.flag(), false);
        if let Some(place) = self.pids(instance, filter) {
            place.clear();
        }
    }

    /// Whether children of an instance's listed threads are listed too, and who ends is not: the option
    /// `event-fork`.
    pub fn follows_forks(&self, instance: usize) -> bool {
        self.header()
            .following
            .get(instance / 64)
            .is_some_and(|word| word.load(Relaxed) >> (instance % 64) & 1 == 1)
    }

    /// Says so. Only for who has [reserved](ControlFile::reserve_pids) memory for all children that there can be.
    pub fn follow_forks(&self, instance: usize, follow: bool) {
        let Some(word) = self.header().following.get(instance / 64) else { return };
        let bit = 1 << (instance % 64);
        if follow {
            word.fetch_or(bit, SeqCst);
        } else {
            word.fetch_and(!bit, SeqCst);
        }
    }

    /// Whether any instance does.
    pub fn follows_any_forks(&self) -> bool {
        self.header().following.iter().any(|word| word.load(Relaxed) != 0)
    }

    /// The lists that there are of instances that follow forks.
    fn following(&self) -> impl Iterator<Item = Place<'_>> {
        let instances = crate::InstanceSet::load(&self.header().following).iter();
        instances.flat_map(move |instance| {
            let lists = PidFilter::ALL.into_iter().filter(move |filter| self.has_pids(instance, *filter));
            lists.filter_map(move |filter| self.pids(instance, filter))
        })
    }

    /// Says that `parent` has made `child`, a thread or a process: lists that the one is in have the other
    /// from now on, where the instance follows forks.
    ///
    /// Async-signal-safe. Cost: two loads where none does.
    pub fn pid_forked(&self, parent: u32, child: u32) {
        self.following().filter(|place| place.contains(parent)).for_each(|place| place.add(child));
    }

    /// Says that a thread has ended: no list has it any more, where the instance follows forks.
    ///
    /// Async-signal-safe. Cost: two loads where none does.
    pub fn pid_ended(&self, tid: u32) {
        self.following().for_each(|place| place.remove(tid));
    }

    /// The same of a process, with all its threads.
    pub(crate) fn process_pids_ended(&self, pid: u32) {
        if self.following().next().is_some() {
            self.pid_ended(pid);
            self.tasks().filter(|task| task.tgid == pid).for_each(|task| self.pid_ended(task.tid));
        }
    }
}
