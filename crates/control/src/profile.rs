//! The profile of functions: counting calls, and reading what was counted.
//!
//! It is on while its generation is odd. Who enables it clears the tables before; a call that began in
//! another generation than the one in which it returns adds nothing.

use crate::area::ControlArea;
use abi::instance::{NO_GRAPH_TIME, RECORDING, TOP};
use abi::profile::{
    CpuProfileHead, FunctionCounts, PROFILE_FUNCTIONS, PROFILE_HEADER_SIZE, ProfileHeader,
    cpu_profile_offset, first_entry, function_of_key,
};
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use shm::{Errno, Segment};

/// How many entries are looked at for a function's: a full table must not cost each call a search of all.
const MOST_STEPS: usize = 64;

/// Where a call was counted: what its time is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedCall {
    cpu: u32,
    entry: u32,
}

impl CountedCall {
    /// As a word.
    pub fn to_word(self) -> u64 {
        u64::from(self.cpu) << 32 | u64::from(self.entry)
    }

    /// That of [`CountedCall::to_word`]. Any word is one: one that was never counted has no entry.
    pub fn from_word(word: u64) -> CountedCall {
        CountedCall { cpu: (word >> 32) as u32, entry: word as u32 }
    }
}

/// What was counted of a function's calls on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfiledFunction {
    /// The number of its file in the session.
    pub object: u32,
    /// Where its site is in the file.
    pub address: u64,
    /// How often it was called.
    pub hits: u64,
    /// Nanoseconds that the calls took which have returned.
    pub time: u64,
    /// The sum of their squares.
    pub squares: u128,
}

impl ControlArea {
    /// How often the profile was switched: odd while it is on. Async-signal-safe. Cost: a load.
    // Acquire: pairs with the AcqRel of `switch_profile`: the tables are empty, and have memory.
    #[inline]
    pub fn profile_generation(&self) -> u32 {
        self.header().profile.load(Acquire)
    }

    /// Whether calls of functions are counted.
    #[inline]
    pub fn is_profiling(&self) -> bool {
        self.profile_generation() & 1 == 1
    }

    /// The instance whose lists and options the profile goes by: that of the control tree's top level.
    pub fn profiled_instance(&self) -> usize {
        if self.instance_state(TOP).is_some() { TOP } else { RECORDING }
    }

    /// Whether a function's time has that of others that are called within it.
    pub fn has_graph_time(&self) -> bool {
        self.instance_flags(self.profiled_instance()) & NO_GRAPH_TIME == 0
    }

    /// Has calls counted from now on, or no longer. What was counted stays. Processes have to be told, see
    /// [`ControlArea::change_functions`]. For one who has the session's lock.
    // AcqRel: pairs with the Acquire of `profile_generation`.
    pub fn switch_profile(&self, on: bool) {
        if self.is_profiling() != on {
            self.header().profile.fetch_add(1, AcqRel);
        }
    }

    /// Gives the tables of some CPUs memory, in this file, which is at `path`, and empties all. Only while
    /// none are used, and for one who has the session's lock. Errors: what fallocate(2) says, and `EINVAL`
    /// where the profile is not mapped.
    // Relaxed: published by `switch_profile`.
    pub fn clear_profile(&self, path: &CStr, cpus: impl Iterator<Item = u32> + Clone) -> Result<(), Errno> {
        let profile = self.profile().ok_or(Errno(rustix::io::Errno::INVAL.raw_os_error()))?;
        let tables = cpus.clone().map(|cpu| cpu_profile_offset(cpu)..cpu_profile_offset(cpu + 1));
        let header: Range<u64> = 0..PROFILE_HEADER_SIZE as u64;
        shm::reserve(path, profile, core::iter::once(header).chain(tables))?;
        let Some(header) = header_of(profile) else { return Ok(()) };
        header.elsewhere.store(0, Relaxed);
        for cpu in cpus {
            if let Some(word) = header.counting.get(cpu as usize / 64) {
                word.fetch_or(1 << (cpu % 64), Relaxed);
            }
            if let Some((head, functions)) = table(profile, cpu) {
                head.not_counted.store(0, Relaxed);
                functions.iter().filter(|counts| counts.key.load(Relaxed) != 0).for_each(clear);
            }
        }
        Ok(())
    }

    /// Counts a call that begins on a CPU. None, and counted as such, where there is no space for the
    /// function.
    ///
    /// Async-signal-safe. Cost: two atomic additions' worth, where the function was counted before.
    // Relaxed: counts carry nothing but themselves.
    pub fn count_call(&self, cpu: u32, key: u64) -> Option<CountedCall> {
        let profile = self.profile()?;
        let header = header_of(profile)?;
        if !is_counting(header, cpu) {
            header.elsewhere.fetch_add(1, Relaxed);
            return None;
        }
        let (head, functions) = table(profile, cpu)?;
        let Some(entry) = find(functions, key) else {
            head.not_counted.fetch_add(1, Relaxed);
            return None;
        };
        functions.get(entry)?.hits.fetch_add(1, Relaxed);
        Some(CountedCall { cpu, entry: entry as u32 })
    }

    /// Counts on a CPU a call that can't be counted for its function.
    // Relaxed: counts carry nothing but themselves.
    pub fn count_not_counted(&self, cpu: u32) {
        let Some(profile) = self.profile() else { return };
        match header_of(profile) {
            Some(header) if !is_counting(header, cpu) => drop(header.elsewhere.fetch_add(1, Relaxed)),
            _ => table(profile, cpu).into_iter().for_each(|(head, _)| {
                head.not_counted.fetch_add(1, Relaxed);
            }),
        }
    }

    /// Adds how long a call took that was counted.
    ///
    /// Async-signal-safe.
    // Relaxed: counts carry nothing but themselves.
    pub fn add_time(&self, call: CountedCall, nanoseconds: u64) {
        let Some(counts) = self.profile().and_then(|profile| entry(profile, call)) else { return };
        counts.time.fetch_add(nanoseconds, Relaxed);
        let square = u128::from(nanoseconds) * u128::from(nanoseconds);
        let [low, high] = &counts.squares;
        let before = low.fetch_add(square as u64, Relaxed);
        let carry = u64::from(before.checked_add(square as u64).is_none());
        let more = (square >> 64) as u64 + carry;
        if more != 0 {
            high.fetch_add(more, Relaxed);
        }
    }

    /// What was counted on a CPU, in no order.
    pub fn profiled_functions(&self, cpu: u32) -> impl Iterator<Item = ProfiledFunction> {
        let found = self
            .profile()
            .filter(|profile| header_of(profile).is_some_and(|header| is_counting(header, cpu)));
        let functions = found.and_then(|profile| table(profile, cpu)).map_or(&[][..], |(_, found)| found);
        functions.iter().filter_map(read)
    }

    /// How many calls were not counted on a CPU because there was no space for the function, or for the call
    /// in its process.
    // Relaxed: the count carries nothing but itself.
    pub fn not_counted_calls(&self, cpu: u32) -> u64 {
        let Some(profile) = self.profile() else { return 0 };
        match header_of(profile) {
            Some(header) if is_counting(header, cpu) => {
                table(profile, cpu).map_or(0, |(head, _)| head.not_counted.load(Relaxed))
            }
            _ => 0,
        }
    }

    /// How many calls were made on CPUs that have no tables: those that nobody could run on when the session
    /// was made.
    // Relaxed: the count carries nothing but itself.
    pub fn calls_elsewhere(&self) -> u64 {
        let header = self.profile().and_then(header_of);
        header.map_or(0, |header| header.elsewhere.load(Relaxed))
    }
}

#[inline]
fn header_of(profile: &Segment) -> Option<&ProfileHeader> {
    profile.get(0)
}

/// Whether the table of a CPU has memory: others must not be touched.
// Relaxed: published by `switch_profile`.
#[inline]
fn is_counting(header: &ProfileHeader, cpu: u32) -> bool {
    header.counting.get(cpu as usize / 64).is_some_and(|word| word.load(Relaxed) >> (cpu % 64) & 1 == 1)
}

#[inline]
fn table(profile: &Segment, cpu: u32) -> Option<(&CpuProfileHead, &[FunctionCounts])> {
    let offset = cpu_profile_offset(cpu);
    let functions = offset + size_of::<CpuProfileHead>() as u64;
    Some((profile.get(offset)?, profile.slice(functions, PROFILE_FUNCTIONS)?))
}

fn entry(profile: &Segment, call: CountedCall) -> Option<&FunctionCounts> {
    header_of(profile).filter(|header| is_counting(header, call.cpu))?;
    table(profile, call.cpu)?.1.get(call.entry as usize)
}

/// The entry of a key, which it gets where there is none.
// AcqRel: an entry has one key. Relaxed: what is there is compared, and nothing else is read by it.
#[inline]
fn find(functions: &[FunctionCounts], key: u64) -> Option<usize> {
    let first = first_entry(key);
    let order = (first..functions.len()).chain(0..first);
    for index in order.take(MOST_STEPS) {
        let counts = functions.get(index)?;
        let found = match counts.key.load(Relaxed) {
            0 => counts.key.compare_exchange(0, key, AcqRel, Relaxed).map_or_else(|other| other, |_| key),
            found => found,
        };
        if found == key {
            return Some(index);
        }
    }
    None
}

/// The counts of an entry, if anything was counted.
// Relaxed: each carries nothing but itself; together they are of about one moment.
fn read(counts: &FunctionCounts) -> Option<ProfiledFunction> {
    let (object, address) = function_of_key(counts.key.load(Relaxed))?;
    let hits = counts.hits.load(Relaxed);
    let [low, high] = counts.squares.each_ref().map(|half| u128::from(half.load(Relaxed)));
    let time = counts.time.load(Relaxed);
    (hits > 0).then_some(ProfiledFunction { object, address, hits, time, squares: high << 64 | low })
}

// Relaxed: published by `switch_profile`.
fn clear(counts: &FunctionCounts) {
    let [low, high] = &counts.squares;
    let words: [&AtomicU64; 5] = [&counts.hits, &counts.time, low, high, &counts.key];
    words.into_iter().for_each(|word| word.store(0, Relaxed));
}
