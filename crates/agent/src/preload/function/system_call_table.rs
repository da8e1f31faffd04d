//! The places in an object's code that call the kernel.

use super::replaced_instruction::ReplacedInstruction;
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use function_sites::ObjectFile;
use planner::{FunctionCode, SHORT_JUMP_REACH, SYSTEM_CALL, SystemCallCode};
use rustix::mm::{MapFlags, ProtFlags};
use text_poke::plan::SiteState;

/// A place that calls the kernel.
#[derive(Debug)]
pub(super) struct SystemCallSite {
    /// Where the instruction `syscall` is, and the function that it is in begins, and how long that is.
    pub(super) address: u64,
    function: u64,
    len: u64,
    /// The number of the call, if the instructions before it say that.
    pub(super) number: Option<u32>,
    /// The instruction by which it is seen to begin, and the one by which to end.
    pub(super) enter: ReplacedInstruction,
    pub(super) exit: ReplacedInstruction,
}

impl SystemCallSite {
    /// The code of the function that it is in.
    pub(super) fn function(&self, file: &ObjectFile<'static>, base: u64) -> FunctionCode<'static> {
        let start = self.function.wrapping_sub(base);
        let code = file.code_in(&(start..start + self.len)).unwrap_or_default();
        FunctionCode { start: self.function, code }
    }

    /// The instructions around it.
    pub(super) fn system_call<'a>(&self, function: &FunctionCode<'a>) -> Option<SystemCallCode<'a>> {
        SystemCallCode::at(function, usize::try_from(self.address.wrapping_sub(function.start)).ok()?)
    }
}

/// No instruction that a call is seen by is farther from it, nor a jump apart: four instructions of 15 bytes,
/// and as far as a short jump leads.
const NEAR: u64 = 4 * 15 + SHORT_JUMP_REACH;

/// The places of an object, in the order of their addresses.
#[derive(Debug)]
pub(super) struct SystemCallTable {
    /// Null until they were looked up.
    start: AtomicPtr<SystemCallSite>,
    count: AtomicUsize,
}

impl SystemCallTable {
    /// Not looked up yet.
    pub(super) const fn new() -> SystemCallTable {
        SystemCallTable { start: AtomicPtr::new(core::ptr::null_mut()), count: AtomicUsize::new(0) }
    }

    /// Fills it with those of a file whose addresses are moved by `base`, unless that was done, for one who
    /// has the turn. None where there is no memory.
    // Release: pairs with the Acquire of `all`. Relaxed: published by that.
    pub(super) fn fill(&self, file: &ObjectFile<'static>, base: u64) -> Option<()> {
        if !self.start.load(Relaxed).is_null() {
            return Some(());
        }
        let most = file.occurrences(SYSTEM_CALL).count();
        let bytes = most.max(1) * size_of::<SystemCallSite>();
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, where the kernel likes.
        let start = unsafe {
            rustix::mm::mmap_anonymous(core::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE)
        };
        let start = start.ok()?.cast::<SystemCallSite>();
        let (mut count, mut last) = (0, 0);
        for address in file.occurrences(SYSTEM_CALL).take(most) {
            // Sections lie in their order.
            let Some(site) = site(file, base, address).filter(|site| site.address > last) else { continue };
            last = site.address;
            // SAFETY: within the mapping, as no more than `most` are.
            unsafe { start.add(count).write(site) };
            count += 1;
        }
        self.count.store(count, Relaxed);
        self.start.store(start, Release);
        Some(())
    }

    /// All of them; none as long as they were not looked up.
    // Acquire: pairs with the Release of `fill`.
    pub(super) fn all(&self) -> &'static [SystemCallSite] {
        let start = self.start.load(Acquire);
        if start.is_null() {
            return &[];
        }
        // SAFETY: `fill` has filled so many there. They stay, and what changes of them is atomic.
        unsafe { core::slice::from_raw_parts(start, self.count.load(Relaxed)) }
    }

    /// Whether one of them has, or can have, a jump with bytes at these addresses.
    pub(super) fn touch(&self, addresses: &Range<u64>) -> bool {
        let (start, end) = (addresses.start.saturating_sub(NEAR), addresses.end.saturating_add(NEAR));
        let first = self.all().partition_point(|site| site.address < start);
        let near = self.all().iter().skip(first).take_while(|site| site.address < end);
        near.into_iter().any(|site| site.enter.touches(addresses) || site.exit.touches(addresses))
    }

    /// Notes that the object's code is as it is in its file.
    pub(super) fn set_untouched(&self) {
        for site in self.all() {
            site.enter.set_changed(SiteState::Found);
            site.exit.set_changed(SiteState::Found);
        }
    }
}

/// The place with the instruction at an address of a file. None where none begins there, and where it is to
/// be left alone.
fn site(file: &ObjectFile<'static>, base: u64, address: u64) -> Option<SystemCallSite> {
    let span = file.span_of_frame(address)?;
    let (address, start) = (base.wrapping_add(address), base.wrapping_add(span.start));
    let len = span.end - span.start;
    let (enter, exit) = (ReplacedInstruction::new(), ReplacedInstruction::new());
    let site = SystemCallSite { address, function: start, len, number: None, enter, exit };
    let call = site.system_call(&site.function(file, base)).filter(|call| !call.is_left_alone())?;
    Some(SystemCallSite { number: call.number(), ..site })
}
