//! PID filters: whose events an instance records, or doesn't; and whose functions it traces.
//!
//! A list is a bit for each TID, in pages that all lists of a session share. Who records looks at two words
//! of it. Whoever has the session's lock gives a list pages, adds threads, or takes all away; traced
//! processes add their children, and take away who ends, where the option says so. Which pages are in use is
//! what the lists say that there are: who is killed half-way leaves none after.
//!
//! Source: `kernel/trace/pid_list.c` of Linux 6.18.

use crate::InstanceSet;
use crate::area::ControlArea;
use abi::control::{
    PID_LISTS, PID_LISTS_OFFSET, PID_PAGES, PID_PAGES_OFFSET, PID_PARTS, PidList, TIDS, TIDS_IN_PART,
    pid_page, with_pid_page,
};
use abi::instance::{FUNCTION_NOT_PIDS, FUNCTION_PIDS, INSTANCES, NOT_PIDS, PIDS};
use core::ffi::CStr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use shm::Errno;

/// Words of a page.
const PAGE_WORDS: usize = TIDS_IN_PART / 64;

/// Which list of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum PidFilter {
    /// Its threads' events alone are recorded: `set_event_pid`.
    Only = 0,
    /// Its threads' events alone are not: `set_event_notrace_pid`.
    Never = 1,
    /// Its threads' functions alone are traced: `set_ftrace_pid`.
    FunctionOnly = 2,
    /// Its threads' functions alone are not: `set_ftrace_notrace_pid`.
    FunctionNever = 3,
}

/// What PID filters are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Filtered {
    /// Events. The option `event-fork` is theirs.
    Events = 0,
    /// Functions that are traced. The option `function-fork` is theirs.
    Functions = 1,
}

impl Filtered {
    /// Both.
    pub const ALL: [Filtered; 2] = [Filtered::Events, Filtered::Functions];
}

impl PidFilter {
    /// All of them.
    pub const ALL: [PidFilter; PID_LISTS] =
        [PidFilter::Only, PidFilter::Never, PidFilter::FunctionOnly, PidFilter::FunctionNever];

    /// What it is about.
    pub const fn filtered(self) -> Filtered {
        match self {
            PidFilter::Only | PidFilter::Never => Filtered::Events,
            PidFilter::FunctionOnly | PidFilter::FunctionNever => Filtered::Functions,
        }
    }

    /// The flag of an instance that has the list.
    const fn flag(self) -> u32 {
        match self {
            PidFilter::Only => PIDS,
            PidFilter::Never => NOT_PIDS,
            PidFilter::FunctionOnly => FUNCTION_PIDS,
            PidFilter::FunctionNever => FUNCTION_NOT_PIDS,
        }
    }
}

/// Why a list gets no pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPages {
    /// All are in use.
    AllUsed,
    /// There is no memory: what fallocate(2) says.
    System(Errno),
}

/// A list, there or not, and the pages of all.
#[derive(Clone, Copy)]
struct ListedPids<'a> {
    list: &'a PidList,
    pages: &'a [AtomicU64],
}

impl<'a> ListedPids<'a> {
    /// The words of a part, if it has a page.
    // Acquire: pairs with the SeqCst of `reserve_pids`: the page was emptied before the list had it.
    #[inline]
    fn part(self, part: usize) -> Option<&'a [AtomicU64]> {
        let page = pid_page(self.list.pages.get(part / 4)?.load(Acquire), part)?;
        self.pages.get(page * PAGE_WORDS..(page + 1) * PAGE_WORDS)
    }

    /// The word that has a TID's bit, if its part has a page.
    #[inline]
    fn word(self, tid: u32) -> Option<&'a AtomicU64> {
        self.part(tid as usize / TIDS_IN_PART)?.get(tid as usize / 64 % PAGE_WORDS)
    }

    // Relaxed: the bit carries nothing but itself.
    #[inline]
    fn contains(self, tid: u32) -> bool {
        self.word(tid).is_some_and(|word| word.load(Relaxed) >> (tid % 64) & 1 == 1)
    }

    // SeqCst: a thread that is added is seen by whoever sees the flag of the list after it, which is SeqCst,
    // too.
    fn add(self, tid: u32) {
        if let Some(word) = self.word(tid) {
            word.fetch_or(1 << (tid % 64), SeqCst);
        }
    }

    // SeqCst: as `add`, with which it pairs.
    fn remove(self, tid: u32) {
        if let Some(word) = self.word(tid) {
            word.fetch_and(!(1 << (tid % 64)), SeqCst);
        }
    }

    /// Adds numbers that no thread can have. False, and nothing changed, where there is no space.
    // Relaxed: only holders of the session's lock set and use these.
    fn add_others(self, numbers: &[u32]) -> bool {
        let places = || self.list.others.iter().map(|other| (other, other.load(Relaxed)));
        let is_new = |number: &&u32| !places().any(|(_, there)| there == **number);
        let free = places().filter(|(_, there)| *there == 0).map(|(place, _)| place);
        if numbers.iter().filter(is_new).count() > free.clone().count() {
            return false;
        }
        numbers.iter().filter(is_new).zip(free).for_each(|(number, place)| place.store(*number, Relaxed));
        true
    }

    // SeqCst: pairs with the Acquire of `part`; pages are free only after that. Relaxed: only holders of the
    // session's lock use the others.
    fn clear(self) {
        self.list.pages.iter().for_each(|word| word.store(0, SeqCst));
        self.list.others.iter().for_each(|other| other.store(0, Relaxed));
    }
}

impl ControlArea {
    #[inline]
    fn pids(&self, instance: usize, filter: PidFilter) -> Option<ListedPids<'_>> {
        let index = instance.checked_mul(PID_LISTS).filter(|_| instance < INSTANCES)? + filter as usize;
        let list = self.array::<PidList>(PID_LISTS_OFFSET, INSTANCES * PID_LISTS).get(index)?;
        Some(ListedPids { list, pages: self.array(PID_PAGES_OFFSET, PID_PAGES * PAGE_WORDS) })
    }

    /// Whether the lists of an instance with these flags keep a thread's events from being recorded.
    ///
    /// Async-signal-safe. Cost: two loads for each list that there is.
    #[inline]
    pub fn ignores(&self, instance: usize, flags: u32, tid: u32) -> bool {
        self.is_kept_out(instance, flags, [PidFilter::Only, PidFilter::Never], tid)
    }

    /// Whether the lists of an instance with these flags keep a thread's functions from being traced.
    ///
    /// Async-signal-safe. Cost: two loads for each list that there is.
    #[inline]
    pub fn ignores_functions(&self, instance: usize, flags: u32, tid: u32) -> bool {
        self.is_kept_out(instance, flags, [PidFilter::FunctionOnly, PidFilter::FunctionNever], tid)
    }

    #[inline]
    fn is_kept_out(&self, instance: usize, flags: u32, [only, never]: [PidFilter; 2], tid: u32) -> bool {
        let is_in = |filter| self.pids(instance, filter).is_some_and(|place| place.contains(tid));
        flags & only.flag() != 0 && !is_in(only) || flags & never.flag() != 0 && is_in(never)
    }

    /// Whether an instance has a list, which may be empty.
    pub fn has_pids(&self, instance: usize, filter: PidFilter) -> bool {
        self.instance_flags(instance) & filter.flag() != 0
    }

    /// Calls `visit` with each number of a list, upwards.
    // Relaxed: each bit carries nothing but itself; and only holders of the session's lock change the others.
    pub fn visit_pids(&self, instance: usize, filter: PidFilter, mut visit: impl FnMut(u32)) {
        let Some(place) = self.pids(instance, filter).filter(|_| self.has_pids(instance, filter)) else {
            return;
        };
        for part in 0..PID_PARTS {
            for (index, word) in place.part(part).unwrap_or_default().iter().enumerate() {
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

    /// Gives a list, which there may not be yet, pages for these TIDs, in this file, which is at `path`.
    /// After an error those stay that it got. Only for one who has the session's lock.
    // Relaxed, then SeqCst: the page is emptied before the list has it; pairs with the Acquire of `part`.
    // Relaxed load: only holders of the session's lock change which pages a list has.
    pub fn reserve_pids(
        &self,
        path: &CStr,
        instance: usize,
        filter: PidFilter,
        tids: impl Iterator<Item = u32>,
    ) -> Result<(), NoPages> {
        let place = self.pids(instance, filter).ok_or(NoPages::AllUsed)?;
        if !self.has_pids(instance, filter) {
            // What one has left after who was killed.
            place.clear();
        }
        for part in tids.map(|tid| tid as usize / TIDS_IN_PART).filter(|part| *part < PID_PARTS) {
            if place.part(part).is_none() {
                let page = self.free_pid_page(place).ok_or(NoPages::AllUsed)?;
                let start = PID_PAGES_OFFSET + page as u64 * 4096;
                let range = core::iter::once(start..start + 4096);
                shm::reserve(path, self.segment(), range).map_err(NoPages::System)?;
                let words = place.pages.get(page * PAGE_WORDS..(page + 1) * PAGE_WORDS);
                words.unwrap_or_default().iter().for_each(|word| word.store(0, Relaxed));
                if let Some(word) = place.list.pages.get(part / 4) {
                    word.store(with_pid_page(word.load(Relaxed), part, page), SeqCst);
                }
            }
        }
        Ok(())
    }

    /// A page that neither a list has that there is, nor `own`.
    // Relaxed: only holders of the session's lock change which pages a list has.
    fn free_pid_page(&self, own: ListedPids<'_>) -> Option<usize> {
        let mut used = [0_u64; PID_PAGES / 64];
        let all = (0..INSTANCES).flat_map(|instance| PidFilter::ALL.map(|filter| (instance, filter)));
        let there = all.filter(|(instance, filter)| self.has_pids(*instance, *filter));
        let lists = there.filter_map(|(instance, filter)| self.pids(instance, filter)).chain([own]);
        for word in lists.flat_map(|place| &place.list.pages).map(|word| word.load(Relaxed)) {
            for page in (0..4).filter_map(|part| pid_page(word, part)) {
                if let Some(word) = used.get_mut(page / 64) {
                    *word |= 1 << (page % 64);
                }
            }
        }
        (0..PID_PAGES).find(|page| used.get(page / 64).is_some_and(|word| word >> (page % 64) & 1 == 0))
    }

    /// Adds numbers, sorted and each once, to a list, which from then on there is. False, and nothing
    /// changed, where it has no space for those that no thread can have. Traced processes see it at once.
    /// Only for one who has the session's lock, and has [reserved](ControlArea::reserve_pids) pages.
    pub fn add_pids(&self, instance: usize, filter: PidFilter, numbers: &[u32]) -> bool {
        let Some(place) = self.pids(instance, filter) else { return false };
        let (tids, others) = numbers.split_at(numbers.partition_point(|number| (*number as usize) < TIDS));
        if !place.add_others(others) {
            return false;
        }
        tids.iter().for_each(|tid| place.add(*tid));
        self.set_instance_flags(instance, filter.flag(), true);
        true
    }

    /// Takes a list away. Traced processes see it at once. Only for one who has the session's lock.
    pub fn clear_pids(&self, instance: usize, filter: PidFilter) {
        self.set_instance_flags(instance, filter.flag(), false);
        if let Some(place) = self.pids(instance, filter) {
            place.clear();
        }
    }

    /// Whether children of an instance's listed threads are listed too, and who ends is not: the options
    /// `event-fork` and `function-fork`.
    pub fn follows_forks(&self, instance: usize, filtered: Filtered) -> bool {
        self.followers(filtered).contains(instance)
    }

    /// Says so. Only for one who has [reserved](ControlArea::reserve_pids) pages for all children that there
    /// can be.
    // SeqCst: pairs with the Acquire of `InstanceSet::load`: the pages were reserved before.
    pub fn follow_forks(&self, instance: usize, filtered: Filtered, follow: bool) {
        let words = self.header().following.get(filtered as usize);
        let Some(word) = words.and_then(|words| words.get(instance / 64)) else { return };
        let bit = 1 << (instance % 64);
        if follow {
            word.fetch_or(bit, SeqCst);
        } else {
            word.fetch_and(!bit, SeqCst);
        }
    }

    /// The instances that follow forks.
    fn followers(&self, filtered: Filtered) -> InstanceSet {
        let [events, functions] = &self.header().following;
        InstanceSet::load(match filtered {
            Filtered::Events => events,
            Filtered::Functions => functions,
        })
    }

    /// Whether any instance does.
    pub fn follows_any_forks(&self) -> bool {
        Filtered::ALL.into_iter().any(|filtered| !self.followers(filtered).is_empty())
    }

    /// The lists that there are of instances that follow forks.
    fn following(&self) -> impl Iterator<Item = ListedPids<'_>> {
        let following = Filtered::ALL.into_iter().flat_map(move |filtered| {
            let lists = PidFilter::ALL.into_iter().filter(move |filter| filter.filtered() == filtered);
            self.followers(filtered)
                .iter()
                .flat_map(move |instance| lists.clone().map(move |filter| (instance, filter)))
        });
        let there = following.filter(|(instance, filter)| self.has_pids(*instance, *filter));
        there.filter_map(move |(instance, filter)| self.pids(instance, filter))
    }

    /// Says that `parent` has made `child`, a thread or a process: lists that the one is in have the other
    /// from now on, where the instance follows forks.
    ///
    /// Async-signal-safe. Cost: four loads where none does.
    pub fn pid_forked(&self, parent: u32, child: u32) {
        self.following().filter(|place| place.contains(parent)).for_each(|place| place.add(child));
    }

    /// Says that a thread has ended: no list has it any more, where the instance follows forks.
    ///
    /// Async-signal-safe. Cost: four loads where none does.
    pub fn pid_ended(&self, tid: u32) {
        self.following().for_each(|place| place.remove(tid));
    }

    /// Does so for a process, with all its threads.
    pub(crate) fn process_pids_ended(&self, pid: u32) {
        if self.follows_any_forks() {
            self.pid_ended(pid);
            self.tasks().filter(|task| task.tgid == pid).for_each(|task| self.pid_ended(task.tid));
        }
    }
}
