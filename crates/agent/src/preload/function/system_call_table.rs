//! The places in an object's code that call the kernel.

use super::lasting_table::LastingTable;
use super::replaced_instruction::ReplacedInstruction;
use core::ops::Range;
use function_sites::ObjectFile;
use planner::{FunctionCode, SHORT_JUMP_REACH, SYSTEM_CALL, SystemCallCode};
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
pub(super) struct SystemCallTable(LastingTable<SystemCallSite>);

impl SystemCallTable {
    /// Not looked up yet.
    pub(super) const fn new() -> SystemCallTable {
        SystemCallTable(LastingTable::new())
    }

    /// Fills it with those of a file whose addresses are moved by `base`, unless that was done, for one who
    /// has the turn. None where there is no memory.
    pub(super) fn fill(&self, file: &ObjectFile<'static>, base: u64) -> Option<()> {
        if self.0.is_filled() {
            return Some(());
        }
        let mut last = 0;
        let found = file.occurrences(SYSTEM_CALL).filter_map(|address| site(file, base, address));
        // Sections lie in their order.
        let sites = found.filter(|site| {
            let is_next = site.address > last;
            last = last.max(site.address);
            is_next
        });
        self.0.fill(file.occurrences(SYSTEM_CALL).count(), sites, |sites| sites.len())
    }

    /// All of them; none as long as they were not looked up.
    pub(super) fn all(&self) -> &'static [SystemCallSite] {
        self.0.all()
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
