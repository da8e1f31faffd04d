//! An instruction that a probe is at, where no function's site is.
//!
//! Each has a place in a table for good (M2): its number is what moved code knows it by. When it is wanted it
//! is a jump.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use planner::JUMP_LEN;
use text_poke::plan::refusal::Refusal;
use text_poke::plan::{Plan, SiteState, instruction};

/// The most places that a process has for probes.
const PLACES: usize = 256;

/// An instruction.
#[derive(Debug)]
pub(super) struct ProbedInstruction {
    /// The object that it is in, as an address of what is known of that.
    object: AtomicUsize,
    /// The address that the probe is at.
    address: AtomicU64,
    /// The one that becomes a jump, and its bytes.
    at: AtomicU64,
    len: AtomicU32,
    found: AtomicU64,
    /// The code that it was moved to.
    moved: AtomicU64,
    /// The number of the first of its probes, see `probes.rs`; 0 where it has none.
    pub(super) probes: AtomicU32,
    /// 1 while it is a jump.
    is_jump: AtomicU32,
}

static TABLE: [ProbedInstruction; PLACES] = [const {
    ProbedInstruction {
        object: AtomicUsize::new(0),
        address: AtomicU64::new(0),
        at: AtomicU64::new(0),
        len: AtomicU32::new(0),
        found: AtomicU64::new(0),
        moved: AtomicU64::new(0),
        probes: AtomicU32::new(0),
        is_jump: AtomicU32::new(0),
    }
}; PLACES];

/// How many there are.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The code of a place for which none was made yet, and of one that can have none.
const UNMADE: u64 = 0;
const NONE: u64 = 1;

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

/// Has nobody want those in an object.
pub(super) fn forget(object: usize) {
    within(object).for_each(|place| place.probes.store(0, Relaxed));
}

/// Notes that the code of an object is as it is in its file.
pub(super) fn set_untouched(object: usize) {
    within(object).for_each(|place| place.is_jump.store(0, Relaxed));
}

/// Whether a jump at an address would share bytes with one that is, or can be, in the place of an instruction
/// that a probe is at (M4).
pub(super) fn overlap(address: u64) -> bool {
    all().any(|place| {
        let at = place.at.load(Relaxed);
        at != 0 && at.abs_diff(address) < JUMP_LEN as u64
    })
}

// Relaxed, in all of these: one turn at a time; what a jump leads to was made in the turn that stored it.
impl ProbedInstruction {
    /// The address that the probe is at.
    pub(super) fn address(&self) -> u64 {
        self.address.load(Relaxed)
    }

    /// Whether a probe wants it.
    pub(super) fn is_wanted(&self) -> bool {
        self.probes.load(Relaxed) != 0
    }

    /// Whether it is a jump now.
    pub(super) fn is_jump(&self) -> bool {
        self.is_jump.load(Relaxed) != 0
    }

    /// Notes that it was brought to a state.
    pub(super) fn set_changed(&self, to: SiteState) {
        self.is_jump.store(u32::from(to == SiteState::On), Relaxed);
    }

    /// What is to be done there.
    pub(super) fn change(&self) -> Option<(Plan, SiteState)> {
        let state = match (self.is_wanted(), self.is_jump()) {
            (true, false) => SiteState::On,
            (false, true) => SiteState::Off,
            _ => return None,
        };
        Some((self.plan().ok()?, state))
    }

    /// Its number.
    pub(super) fn number(&self) -> Option<u64> {
        all().position(|place| core::ptr::eq(place, self)).map(|number| number as u64)
    }

    /// Whether it isn't known yet where its code is.
    pub(super) fn is_unmade(&self) -> bool {
        self.moved.load(Relaxed) == UNMADE
    }

    /// Has the instruction at an address be a jump, that has these bytes and was moved.
    pub(super) fn set_made(&self, at: u64, len: usize, found: [u8; JUMP_LEN], moved: u64) {
        let [a, b, c, d, e] = found;
        self.at.store(at, Relaxed);
        self.len.store(len as u32, Relaxed);
        self.found.store(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]), Relaxed);
        self.moved.store(moved, Relaxed);
    }

    /// Notes that it can have no code.
    pub(super) fn set_none(&self) {
        self.moved.store(NONE, Relaxed);
    }

    /// What is to be stored there.
    fn plan(&self) -> Result<Plan, Refusal> {
        let moved = self.moved.load(Relaxed);
        if moved == UNMADE || moved == NONE {
            return Err(Refusal::NoTarget);
        }
        let [found @ .., _, _, _] = self.found.load(Relaxed).to_le_bytes();
        instruction::plan(self.at.load(Relaxed), &found, self.len.load(Relaxed) as usize, moved)
    }
}
