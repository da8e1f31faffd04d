//! An instruction of code that nobody built for tracing: it is a jump while somebody wants it.

use super::instruction_jump::{InstructionJump, MovedTargets, first_bytes};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use planner::{JUMP_LEN, JumpSpace};
use text_poke::Threads;
use text_poke::plan::{Plan, Preparation, SiteState};

/// An instruction, once it is known which one, where it was moved to, and where the jump is.
#[derive(Debug)]
pub(super) struct ReplacedInstruction {
    /// Its address, how many bytes it has, and those that it begins with.
    at: AtomicU64,
    len: AtomicU32,
    found: AtomicU64,
    /// The code that it was moved to.
    moved: AtomicU64,
    /// Where the jump has its bytes: [`IN_PLACE`], [`WITH_PADDING`], [`BEFOREHAND`], or an address in
    /// padding.
    space: AtomicU64,
    /// What is there in padding.
    padding: AtomicU64,
    /// Where a jump that is there beforehand leads while nobody wants it.
    off: AtomicU64,
    /// 1 when somebody wants it, as of the last time that somebody had the turn.
    is_wanted: AtomicU32,
    /// 1 while it is a jump that somebody wants.
    is_jump: AtomicU32,
    /// 1 once there is a jump beforehand.
    is_prepared: AtomicU32,
}

/// The code of one for which none was made yet, and of one that can have none.
const UNMADE: u64 = 0;
const NONE: u64 = 1;

const IN_PLACE: u64 = 0;
const WITH_PADDING: u64 = 1;
const BEFOREHAND: u64 = 2;

// Relaxed, in all of these: one turn at a time; what a jump leads to was made in the turn that stored it.
impl ReplacedInstruction {
    /// It isn't known yet which one.
    pub(super) const fn new() -> ReplacedInstruction {
        ReplacedInstruction {
            at: AtomicU64::new(0),
            len: AtomicU32::new(0),
            found: AtomicU64::new(0),
            moved: AtomicU64::new(UNMADE),
            space: AtomicU64::new(IN_PLACE),
            padding: AtomicU64::new(0),
            off: AtomicU64::new(0),
            is_wanted: AtomicU32::new(0),
            is_jump: AtomicU32::new(0),
            is_prepared: AtomicU32::new(0),
        }
    }

    /// Whether it isn't known yet where its code is.
    pub(super) fn is_unmade(&self) -> bool {
        self.moved.load(Relaxed) == UNMADE
    }

    /// Whether it is known that it has code.
    fn is_made(&self) -> bool {
        ![UNMADE, NONE].contains(&self.moved.load(Relaxed))
    }

    /// Has it become this jump; its code was made.
    pub(super) fn set_made(&self, jump: &InstructionJump) {
        let space = match jump.space {
            JumpSpace::InPlace => IN_PLACE,
            JumpSpace::WithPadding => WITH_PADDING,
            JumpSpace::Beforehand => BEFOREHAND,
            JumpSpace::Apart(apart) => apart,
        };
        self.at.store(jump.at, Relaxed);
        self.len.store(jump.len as u32, Relaxed);
        self.found.store(to_word(jump.found), Relaxed);
        self.space.store(space, Relaxed);
        self.padding.store(to_word(jump.padding), Relaxed);
        self.off.store(jump.moved.off, Relaxed);
        self.moved.store(jump.moved.on, Relaxed);
    }

    /// Notes that it can have no code.
    pub(super) fn set_none(&self) {
        self.moved.store(NONE, Relaxed);
    }

    /// Says whether somebody wants it, for one who has the turn: all that is done in that turn goes by this,
    /// while others may want other things already.
    pub(super) fn want(&self, is_wanted: bool) {
        self.is_wanted.store(u32::from(is_wanted), Relaxed);
    }

    /// Whether it is a jump now.
    pub(super) fn is_jump(&self) -> bool {
        self.is_jump.load(Relaxed) != 0
    }

    /// Notes that it was brought to a state.
    pub(super) fn set_changed(&self, to: SiteState) {
        self.is_jump.store(u32::from(to == SiteState::On), Relaxed);
        self.is_prepared.store(u32::from(to != SiteState::Found), Relaxed);
    }

    /// Whether what its jump changes or relies on has bytes of these addresses (M4).
    pub(super) fn touches(&self, addresses: &Range<u64>) -> bool {
        self.jump().is_some_and(|jump| jump.touches(addresses))
    }

    /// What is to be done there.
    pub(super) fn change(&self, threads: Threads) -> Option<(Plan, SiteState)> {
        let state = match (self.is_wanted.load(Relaxed), self.is_jump()) {
            (1, false) => SiteState::On,
            (0, true) => SiteState::Off,
            _ => return None,
        };
        let plan = self.jump()?.plan().ok()?;
        let is_prepared = self.is_prepared.load(Relaxed) != 0 || threads == Threads::Alone;
        (is_prepared || plan.preparation() != Preparation::Alone).then_some((plan, state))
    }

    /// What is to be done in padding before that, where the jump is apart.
    pub(super) fn plan_apart(&self) -> Option<Plan> {
        self.jump()?.plan_apart()
    }

    /// The jump, once it is known.
    fn jump(&self) -> Option<InstructionJump> {
        if !self.is_made() {
            return None;
        }
        let space = match self.space.load(Relaxed) {
            IN_PLACE => JumpSpace::InPlace,
            WITH_PADDING => JumpSpace::WithPadding,
            BEFOREHAND => JumpSpace::Beforehand,
            apart => JumpSpace::Apart(apart),
        };
        Some(InstructionJump {
            at: self.at.load(Relaxed),
            len: self.len.load(Relaxed) as usize,
            space,
            found: first_bytes(&self.found.load(Relaxed).to_le_bytes()),
            padding: first_bytes(&self.padding.load(Relaxed).to_le_bytes()),
            moved: MovedTargets { on: self.moved.load(Relaxed), off: self.off.load(Relaxed) },
        })
    }
}

/// The bytes of a jump in a word.
fn to_word([a, b, c, d, e]: [u8; JUMP_LEN]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
}
