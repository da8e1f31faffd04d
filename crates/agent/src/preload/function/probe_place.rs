//! An instruction that a probe is at, where no function's site is.
//!
//! Each has a place in a table for good (M2): its number is what moved code knows it by. When it is wanted it
//! is a jump.

use super::replaced_instruction::ReplacedInstruction;
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use text_poke::plan::SiteState;

/// The most places that a process has for probes.
const PLACES: usize = 256;

/// An instruction.
#[derive(Debug)]
pub(super) struct ProbedInstruction {
    /// The object that it is in, as an address of what is known of that.
    object: AtomicUsize,
    /// The address that the probe is at.
    address: AtomicU64,
    /// The one that becomes a jump: this one, or one after it.
    pub(super) replaced: ReplacedInstruction,
    /// The number of the first of its probes, see `probes.rs`; 0 where it has none.
    pub(super) probes: AtomicU32,
}

static TABLE: [ProbedInstruction; PLACES] = [const {
    ProbedInstruction {
        object: AtomicUsize::new(0),
        address: AtomicU64::new(0),
        replaced: ReplacedInstruction::new(),
        probes: AtomicU32::new(0),
    }
}; PLACES];

/// How many there are.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// All of them.
// Acquire: pairs with the Release of `want`.
fn all() -> impl Iterator<Item = &'static ProbedInstruction> + Clone {
    let count = COUNT.load(Acquire) as usize;
    TABLE.iter().take(count)
}

/// Those in an object.
pub(super) fn within(object: usize) -> impl Iterator<Item = &'static ProbedInstruction> + Clone {
    all().filter(move |place| place.object.load(Relaxed) == object)
}

/// The place of this number.
#[inline(always)]
pub(super) fn find(number: u64) -> Option<&'static ProbedInstruction> {
    TABLE.get(usize::try_from(number).ok()?)
}

/// The place at an address in an object, which may be new, for one who has the turn. None where there is no
/// space for it.
// Release: pairs with the Acquire of `all`.
pub(super) fn want(object: usize, address: u64) -> Option<&'static ProbedInstruction> {
    let known = within(object).find(|place| place.address.load(Relaxed) == address);
    known.or_else(|| {
        let count = COUNT.load(Relaxed);
        let place = TABLE.get(count as usize)?;
        place.object.store(object, Relaxed);
        place.address.store(address, Relaxed);
        COUNT.store(count + 1, Release);
        Some(place)
    })
}

/// Whether it has turned out that the instruction at an address in an object doesn't become a jump.
pub(super) fn has_no_jump(object: usize, address: u64) -> bool {
    let mut at_address = within(object).filter(|place| place.address() == address);
    at_address.next().is_none_or(|place| !place.replaced.is_unmade() && !place.replaced.is_jump())
}

/// Has nobody want those in an object.
pub(super) fn forget(object: usize) {
    within(object).for_each(|place| place.probes.store(0, Relaxed));
}

/// Notes that the code of an object is as it is in its file.
pub(super) fn set_untouched(object: usize) {
    within(object).for_each(|place| place.replaced.set_changed(SiteState::Found));
}

/// Whether one of them is, or can be, a jump that has bytes at these addresses.
pub(super) fn touch(addresses: &Range<u64>) -> bool {
    all().any(|place| place.replaced.touches(addresses))
}

// Relaxed, in all of these: one turn at a time.
impl ProbedInstruction {
    /// The address that the probe is at.
    pub(super) fn address(&self) -> u64 {
        self.address.load(Relaxed)
    }

    /// Whether a probe wants it.
    pub(super) fn is_wanted(&self) -> bool {
        self.probes.load(Relaxed) != 0
    }

    /// Its number.
    pub(super) fn number(&self) -> Option<u64> {
        all().position(|place| core::ptr::eq(place, self)).map(|number| number as u64)
    }
}
