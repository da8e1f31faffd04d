//! A jump in the place of an instruction, and what is stored for it.

use core::ops::Range;
use planner::{JUMP_LEN, JumpSpace, SHORT_JUMP_LEN};
use text_poke::plan::refusal::Refusal;
use text_poke::plan::{Plan, instruction};

/// Code that an instruction was moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MovedTargets {
    /// Where the jump to it leads.
    pub(super) on: u64,
    /// Where one does that leaves the call out, if there is such a way; 0 where there is none.
    pub(super) off: u64,
}

/// A jump in the place of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InstructionJump {
    /// Where the instruction is, and how many bytes it has.
    pub(super) at: u64,
    pub(super) len: usize,
    /// Where the jump has its bytes.
    pub(super) space: JumpSpace,
    /// The bytes that were found there, as many as a jump has; and those of padding, where it is apart.
    pub(super) found: [u8; JUMP_LEN],
    pub(super) padding: [u8; JUMP_LEN],
    /// Where it leads.
    pub(super) moved: MovedTargets,
}

impl InstructionJump {
    /// Whether what it changes or relies on, here or apart, has bytes of these addresses (M4).
    pub(super) fn touches(&self, addresses: &Range<u64>) -> bool {
        let touch = |start: u64| start < addresses.end && addresses.start < start + JUMP_LEN as u64;
        touch(self.at) || self.apart().is_some_and(touch)
    }

    /// What is to be stored in the instruction's place.
    pub(super) fn plan(&self) -> Result<Plan, Refusal> {
        let InstructionJump { at, len, space, found, moved, .. } = self;
        match space {
            JumpSpace::InPlace => instruction::plan(*at, found, *len, moved.on),
            JumpSpace::WithPadding => instruction::plan_with_padding(*at, found, *len, moved.on),
            JumpSpace::Beforehand => instruction::plan_beforehand(*at, found, [moved.on, moved.off]),
            JumpSpace::Apart(apart) => {
                let short_jump = JumpSpace::short_jump(*at, *apart).ok_or(Refusal::NoTarget)?;
                let found = found.first_chunk::<SHORT_JUMP_LEN>().ok_or(Refusal::NoTarget)?;
                instruction::plan_short(*at, found, short_jump)
            }
        }
    }

    /// What is to be stored in padding before that, where it is apart.
    pub(super) fn plan_apart(&self) -> Option<Plan> {
        instruction::plan_padding(self.apart()?, &self.padding, self.moved.on).ok()
    }

    fn apart(&self) -> Option<u64> {
        if let JumpSpace::Apart(apart) = self.space { Some(apart) } else { None }
    }
}

/// The bytes that code begins with; zeros where that has less.
pub(super) fn first_bytes<const N: usize>(code: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    bytes
}
