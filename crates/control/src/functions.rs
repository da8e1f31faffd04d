//! Which functions are traced, and which processes have done so.
//!
//! Who traces others than before publishes the lists first and then counts up the header's word; a process
//! that sees the word loads the lists after it. So what a process has done is never older than what it says
//! that it has done. Lists may change while they are evaluated: then the word has changed when the process
//! looks again, and it evaluates the new ones.

use crate::area::ControlArea;
use crate::processes::ProcessInfo;
use abi::control::{FUNCTION_LISTS, FUNCTIONS_SIZE};
use abi::instance::{HAS_COMMANDS, INSTANCES};
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use function_filter::CompiledLists;
use rustix::io;
use shm::Errno;

/// The words of an instance's lists of functions, or those of probes.
#[derive(Debug, Clone, Copy)]
pub struct FunctionWords<'a>(pub(crate) &'a [AtomicU64]);

impl FunctionWords<'_> {
    /// The word of this number. None after the last.
    // Relaxed: the words were published by `ControlArea::set_function_words`, and `function_words` has
    // acquired that. If others are stored meanwhile, the caller looks again: see the module.
    #[inline]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|word| word.load(Relaxed))
    }
}

impl ControlArea {
    /// The lists of functions of an instance, as `function_filter` compiles them. None where it has none, or
    /// they are not mapped.
    ///
    /// Async-signal-safe.
    // Acquire: pairs with the Release of `set_function_words`.
    pub fn function_words(&self, instance: usize) -> Option<FunctionWords<'_>> {
        let word = self.instance(instance)?.functions.load(Acquire);
        let words = ((word as u32 & !HAS_COMMANDS) as usize).min(FUNCTION_LISTS / 8);
        let words = self.function_lists()?.slice(place(instance, word >> 32).start, words)?;
        (!words.is_empty()).then_some(FunctionWords(words))
    }

    /// Whether there are lists of functions in any instance. Async-signal-safe.
    // Relaxed: what is in them is read by way of `function_words`.
    pub fn has_function_lists(&self) -> bool {
        let words = (0..INSTANCES).filter_map(|instance| self.instance(instance));
        words.map(|slot| slot.functions.load(Relaxed)).any(|word| word as u32 & !HAS_COMMANDS != 0)
    }

    /// Whether functions have commands in an instance. Async-signal-safe.
    // Acquire: as in `function_words`.
    pub fn has_commands(&self, instance: usize) -> bool {
        let word = self.instance(instance).map_or(0, |slot| slot.functions.load(Acquire));
        word as u32 & HAS_COMMANDS != 0
    }

    /// Where functions have commands. Async-signal-safe.
    pub fn commanding(&self) -> impl Iterator<Item = usize> {
        (0..INSTANCES).filter(|instance| self.has_commands(*instance))
    }

    /// A number that goes up whenever the lists of an instance are replaced. Async-signal-safe.
    // Acquire: what is read of lists stands between two looks at it.
    pub fn function_versions(&self) -> u64 {
        let versions = (0..INSTANCES).filter_map(|instance| self.instance(instance));
        versions.map(|slot| slot.functions.load(Acquire) >> 32).sum()
    }

    /// Calls `visit` for each command that functions have in an instance: with its two words, see
    /// [`function_filter::compile`].
    pub fn visit_commands(&self, instance: usize, visit: &mut dyn FnMut([u64; 2])) {
        if let Some(words) = self.function_words(instance) {
            CompiledLists::new(|index| words.get(index))
                .commands(b""[..].into(), b"", &mut |own, _| visit(own));
        }
    }

    /// Replaces them, in this file, which is at `path`. Errors: what fallocate(2) says; `E2BIG` for more than
    /// [`FUNCTION_LISTS`] bytes; `EINVAL` where they are not mapped.
    ///
    /// Only who has the session's lock does this. One that is killed meanwhile has changed nothing.
    // Acquire, Release: pairs with the Acquire of `function_words`: who sees the version sees its words.
    // Relaxed: those are of the version that nobody uses yet.
    pub fn set_function_words(
        &self,
        path: &CStr,
        instance: usize,
        words: &[u64],
        has_commands: bool,
    ) -> Result<(), Errno> {
        let error = |error: io::Errno| Errno(error.raw_os_error());
        let slot = self.instance(instance).ok_or(error(io::Errno::INVAL))?;
        let lists = self.function_lists().ok_or(error(io::Errno::INVAL))?;
        let version = (slot.functions.load(Acquire) >> 32).wrapping_add(1) & 0xffff_ffff;
        let place = place(instance, version);
        let end = place.start + (words.len() * 8) as u64;
        if end > place.end {
            return Err(error(io::Errno::TOOBIG));
        }
        shm::reserve(path, lists, core::iter::once(place.start..end))?;
        let area: &[AtomicU64] = lists.slice(place.start, words.len()).ok_or(error(io::Errno::INVAL))?;
        for (to, from) in area.iter().zip(words) {
            to.store(*from, Relaxed);
        }
        let flag = if has_commands { HAS_COMMANDS } else { 0 };
        slot.functions.store(version << 32 | u64::from(words.len() as u32 | flag), Release);
        Ok(())
    }

    /// Forgets the lists of an instance that is gone.
    // Release: as for `set_function_words`.
    pub(crate) fn forget_function_words(&self, instance: usize) {
        if let Some(slot) = self.instance(instance) {
            let version = slot.functions.load(Acquire) >> 32;
            slot.functions.store(version.wrapping_add(1) << 32, Release);
        }
    }

    /// The number of changes so far: what is compared with [`ProcessInfo::functions_done`]. 0 where nobody
    /// has ever traced a function.
    ///
    /// Async-signal-safe. Cost: a load.
    // Acquire: pairs with the AcqRel of `change_functions`: the lists were published before.
    #[inline(always)]
    pub fn functions_wanted(&self) -> u32 {
        self.header().functions.load(Acquire)
    }

    /// Says that other functions are to be traced than before. The number of the change.
    // AcqRel: pairs with the Acquire of `functions_wanted`.
    pub fn change_functions(&self) -> u32 {
        self.header().functions.fetch_add(1, AcqRel).wrapping_add(1)
    }

    /// Whether functions are traced at all. Async-signal-safe.
    // Relaxed: who says so counts up `functions_wanted` after it, which is AcqRel.
    pub fn may_trace_functions(&self) -> bool {
        self.header().functions_forbidden.load(Relaxed) == 0
    }

    /// Says whether they are. Processes have to be told, see [`ControlArea::change_functions`].
    // Relaxed: as in `may_trace_functions`.
    pub fn allow_functions(&self, allow: bool) {
        self.header().functions_forbidden.store(u32::from(!allow), Relaxed);
    }

    /// The processes whose code is not up to date with [`ControlArea::functions_wanted`]: not those in which
    /// nothing can be traced.
    pub fn outdated_functions(&self) -> impl Iterator<Item = ProcessInfo> {
        let wanted = self.functions_wanted();
        // Lists may name functions in any file, probes may be in any, and system calls are made in some.
        let is_naming = self.has_function_lists() || self.has_probes() || self.system_calls_generation() != 0;
        self.processes().filter(move |process| {
            process.end_time == 0
                && !process.status.is_detached()
                && process.functions_done != wanted
                && (is_naming || self.maps(process.entry).any(|map| self.may_have_sites(map.object)))
        })
    }

    /// Those of them that will be up to date: the code of processes that may have a filter of system calls is
    /// left alone.
    pub fn pending_functions(&self) -> impl Iterator<Item = ProcessInfo> {
        self.outdated_functions().filter(|process| process.status.may_call())
    }

    /// Says how many of a process's functions are traced, and that its code is up to date with `done` by
    /// that. When all processes' is, none is called any more.
    pub fn functions_done(&self, entry: u32, done: u32, traced: u32) {
        self.set_functions_done(entry, done, traced);
        if self.is_calling() && self.pending_functions().next().is_none() {
            self.call_processes(false);
        }
    }

    /// Calls all processes to look at [`ControlArea::functions_wanted`], or no longer: meanwhile every call
    /// leads there, whether its events are enabled or not. Only for one who has the session's lock, or who
    /// has seen that all have looked.
    // SeqCst: stands before the loads by which summaries are made, as switches do.
    pub fn call_processes(&self, call: bool) {
        self.header().calling.store(u32::from(call), core::sync::atomic::Ordering::SeqCst);
        self.mend_summaries();
    }

    /// The word of [`ControlArea::functions_wanted`]: for one who looks at it in assembly.
    pub fn functions_wanted_word(&self) -> &AtomicU32 {
        &self.header().functions
    }

    /// Whether they are being called.
    // Relaxed: a summary that is made of an old one is made again.
    pub fn is_calling(&self) -> bool {
        self.header().calling.load(Relaxed) != 0
    }
}

/// Where the lists of an instance are, in the area of this version.
fn place(instance: usize, version: u64) -> Range<u64> {
    let start = (instance * FUNCTIONS_SIZE + (version & 1) as usize * FUNCTION_LISTS) as u64;
    start..start + FUNCTION_LISTS as u64
}
