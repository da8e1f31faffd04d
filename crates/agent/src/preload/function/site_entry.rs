//! How a function is entered that was not built to be traced.

use super::instruction_jump::{InstructionJump, MovedTargets, first_bytes};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use planner::{JumpSpace, SHORT_JUMP_LEN};

/// A site's choice.
#[derive(Debug)]
pub(super) struct SiteEntryChoice {
    /// 0 as long as none was made; [`UNSEALED`] while its code isn't code yet; [`NONE`] where there is none.
    moved: AtomicU64,
    /// The instruction's offset and length, where the jump has its bytes, and the distance of a short one.
    point: AtomicU64,
    /// The bytes that were found, the first one lowest: as many as a jump has; or a short one's, and those
    /// of padding.
    found: AtomicU64,
}

/// Code lies at multiples of eight.
const UNSEALED: u64 = 1;
const NONE: u64 = 2;

const LEN: u32 = 8;
const WITH_PADDING: u64 = 1 << 16;
const APART: u64 = 1 << 17;
const DISTANCE: u32 = 24;

/// How far from a function's start its jump has its first byte at most.
pub(super) const REACH: u64 = u8::MAX as u64 + planner::SHORT_JUMP_REACH;

// Relaxed, in all of these: one turn at a time; what a site leads to was made in the turn that enabled it.
impl SiteEntryChoice {
    /// None was made.
    pub(super) const fn none() -> SiteEntryChoice {
        SiteEntryChoice { moved: AtomicU64::new(0), point: AtomicU64::new(0), found: AtomicU64::new(0) }
    }

    /// Whether one was made, or there is none.
    pub(super) fn is_made(&self) -> bool {
        self.moved.load(Relaxed) != 0
    }

    /// Whether it has turned out that there is none, or that its code can't be.
    pub(super) fn is_missing(&self) -> bool {
        let moved = self.moved.load(Relaxed);
        moved == 0 || moved & (UNSEALED | NONE) != 0
    }

    /// The one that was made, of the function that starts at an address.
    pub(super) fn get(&self, function: u64) -> Option<InstructionJump> {
        if self.is_missing() { None } else { self.chosen(function) }
    }

    /// As [`SiteEntryChoice::get`], also one whose code isn't code yet.
    pub(super) fn chosen(&self, function: u64) -> Option<InstructionJump> {
        let moved = self.moved.load(Relaxed) & !UNSEALED;
        if moved == 0 || moved == NONE {
            return None;
        }
        let (point, found) = (self.point.load(Relaxed), self.found.load(Relaxed).to_le_bytes());
        let [distance, ..] = (point >> DISTANCE).to_le_bytes();
        let (at, len) = (function + (point & 0xff), point >> LEN & 0xff);
        let (space, padding_at) = match point & (WITH_PADDING | APART) {
            0 => (JumpSpace::InPlace, 0),
            WITH_PADDING => (JumpSpace::WithPadding, 0),
            _ => (JumpSpace::apart_from(at, distance), SHORT_JUMP_LEN),
        };
        let bytes = |from: usize| first_bytes(found.get(from..).unwrap_or_default());
        let moved = MovedTargets { on: moved, off: 0 };
        let (found, padding) = (bytes(0), bytes(padding_at));
        Some(InstructionJump { at, len: len as usize, space, found, padding, moved })
    }

    /// Makes one, whose code isn't code yet; or notes that there is none, also where what is to be known of
    /// it is too large to be kept.
    pub(super) fn choose(&self, function: u64, jump: Option<&InstructionJump>) {
        let packed = jump.and_then(|jump| Some((jump, point(function, jump)?)));
        let Some((jump, point)) = packed else { return self.moved.store(NONE, Relaxed) };
        let [a, b, c, d, e] = jump.found;
        let [pa, pb, pc, pd, pe] = jump.padding;
        let found = match jump.space {
            JumpSpace::Apart(_) => [a, b, pa, pb, pc, pd, pe, 0],
            _ => [a, b, c, d, e, 0, 0, 0],
        };
        self.found.store(u64::from_le_bytes(found), Relaxed);
        self.point.store(point, Relaxed);
        self.moved.store(jump.moved.on | UNSEALED, Relaxed);
    }

    /// Its code is code now, or was not made such.
    pub(super) fn keep(&self, is_sealed: bool) {
        let moved = self.moved.load(Relaxed);
        if moved & UNSEALED != 0 {
            self.moved.store(if is_sealed { moved & !UNSEALED } else { 0 }, Relaxed);
        }
    }
}

/// What is kept of a jump in the function that starts at an address. None where that is too much.
fn point(function: u64, jump: &InstructionJump) -> Option<u64> {
    let (offset, len) = (u8::try_from(jump.at.checked_sub(function)?).ok()?, u8::try_from(jump.len).ok()?);
    let space = match jump.space {
        JumpSpace::InPlace => 0,
        JumpSpace::WithPadding => WITH_PADDING,
        JumpSpace::Apart(apart) => {
            let [_, distance] = JumpSpace::short_jump(jump.at, apart)?;
            APART | u64::from(distance) << DISTANCE
        }
        // A site may be wanted at any time.
        JumpSpace::Beforehand => return None,
    };
    Some(u64::from(offset) | u64::from(len) << LEN | space)
}
