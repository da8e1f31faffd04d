//! An instruction of code that nobody built for tracing: it is a jump while somebody wants it.

use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use planner::{JUMP_LEN, JumpSpace, ProbePoint, SHORT_JUMP_LEN};
use text_poke::Threads;
use text_poke::plan::refusal::Refusal;
use text_poke::plan::{Plan, Preparation, SiteState, instruction};

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

/// Code that an instruction was moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MovedTargets {
    /// Where the jump to it leads.
    pub(super) on: u64,
    /// Where one does that leaves the call out, if there is such a way.
    pub(super) off: u64,
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
    pub(super) fn is_made(&self) -> bool {
        ![UNMADE, NONE].contains(&self.moved.load(Relaxed))
    }

    /// Has it be the one of a point, at this address, whose bytes and those after it are `code`, and those of
    /// padding where the jump is apart; it was moved.
    pub(super) fn set_made(
        &self,
        point: &ProbePoint,
        at: u64,
        [code, padding]: [&[u8]; 2],
        moved: MovedTargets,
    ) {
        let space = match point.space {
            JumpSpace::InPlace => IN_PLACE,
            JumpSpace::WithPadding => WITH_PADDING,
            JumpSpace::Beforehand => BEFOREHAND,
            JumpSpace::Apart(apart) => apart,
        };
        self.at.store(at, Relaxed);
        self.len.store(point.len as u32, Relaxed);
        self.found.store(to_word(code), Relaxed);
        self.space.store(space, Relaxed);
        self.padding.store(to_word(padding), Relaxed);
        self.off.store(moved.off, Relaxed);
        self.moved.store(moved.on, Relaxed);
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

    /// Whether what a jump changes or relies on, here or apart, has bytes of these addresses (M4).
    pub(super) fn touches(&self, addresses: &Range<u64>) -> bool {
        let touch = |start: u64| start < addresses.end && addresses.start < start + JUMP_LEN as u64;
        self.is_made() && (touch(self.at.load(Relaxed)) || self.apart().is_some_and(touch))
    }

    /// What is to be done there.
    pub(super) fn change(&self, threads: Threads) -> Option<(Plan, SiteState)> {
        let state = match (self.is_wanted.load(Relaxed), self.is_jump()) {
            (1, false) => SiteState::On,
            (0, true) => SiteState::Off,
            _ => return None,
        };
        let plan = self.plan().ok()?;
        let is_prepared = self.is_prepared.load(Relaxed) != 0 || threads == Threads::Alone;
        (is_prepared || plan.preparation() != Preparation::Alone).then_some((plan, state))
    }

    /// What is to be done in padding before that, where the jump is apart.
    pub(super) fn plan_apart(&self) -> Option<Plan> {
        let apart = self.apart()?;
        instruction::plan_padding(apart, &jump_bytes(self.padding.load(Relaxed)), self.moved.load(Relaxed))
            .ok()
    }

    fn apart(&self) -> Option<u64> {
        Some(self.space.load(Relaxed)).filter(|space| ![IN_PLACE, WITH_PADDING, BEFOREHAND].contains(space))
    }

    /// What is to be stored there.
    fn plan(&self) -> Result<Plan, Refusal> {
        if !self.is_made() {
            return Err(Refusal::NoTarget);
        }
        let (at, moved) = (self.at.load(Relaxed), self.moved.load(Relaxed));
        let (found, len) = (jump_bytes(self.found.load(Relaxed)), self.len.load(Relaxed) as usize);
        match self.space.load(Relaxed) {
            IN_PLACE => instruction::plan(at, &found, len, moved),
            WITH_PADDING => instruction::plan_with_padding(at, &found, len, moved),
            BEFOREHAND => instruction::plan_beforehand(at, &found, [moved, self.off.load(Relaxed)]),
            apart => {
                let short_jump = JumpSpace::short_jump(at, apart).ok_or(Refusal::NoTarget)?;
                let found = found.first_chunk::<SHORT_JUMP_LEN>().ok_or(Refusal::NoTarget)?;
                instruction::plan_short(at, found, short_jump)
            }
        }
    }
}

/// The bytes that are stored in the place of a jump, in a word.
fn to_word(code: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(code.iter().take(JUMP_LEN)).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(bytes)
}

fn jump_bytes(word: u64) -> [u8; JUMP_LEN] {
    let [found @ .., _, _, _] = word.to_le_bytes();
    found
}
