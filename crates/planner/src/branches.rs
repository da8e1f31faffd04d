//! Where a function's own branches lead.

use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow};

/// So many bytes from a function's start on are looked at as targets.
pub(crate) const NEAR: usize = 128;

/// Where the branches of a function lead, as far as that is near its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Branches {
    /// A bit for each byte that one leads to.
    targets: u128,
    /// Whether there are jumps to places that only the running program knows.
    pub(crate) has_indirect: bool,
}

impl Branches {
    /// Those of a function. None where some of its bytes are no instructions that are known.
    ///
    /// Cost: it decodes all of them.
    pub(crate) fn of(function: &FunctionCode<'_>) -> Option<Branches> {
        let mut found = Branches { targets: 0, has_indirect: false };
        let mut offset = 0;
        while offset < function.code.len() {
            let instruction = DecodedInstruction::first(function.from(offset))?;
            offset += instruction.len();
            match instruction.flow() {
                Flow::Branch(distance) | Flow::Jump(distance) => found.note(offset, distance),
                Flow::Indirect => found.has_indirect = true,
                Flow::Next | Flow::Call | Flow::End => {}
            }
        }
        Some(found)
    }

    /// Whether one leads to a byte between these two, both included.
    pub(crate) fn lead_into(&self, first: usize, last: usize) -> bool {
        (first..=last.min(NEAR - 1)).any(|offset| self.targets >> offset & 1 == 1)
    }

    fn note(&mut self, end: usize, distance: i64) {
        let target = i64::try_from(end).ok().and_then(|end| end.checked_add(distance));
        if let Some(target) = target.and_then(|target| usize::try_from(target).ok()).filter(|at| *at < NEAR) {
            self.targets |= 1 << target;
        }
    }
}

/// Whether a branch of a function may lead between two of its bytes, both included: also where some of its
/// bytes are no instructions that are known, or a jump only knows where it leads when it is executed.
///
/// Cost: it decodes all of the function.
pub(crate) fn lead_between(function: &FunctionCode<'_>, first: usize, last: usize) -> bool {
    let mut offset = 0;
    while offset < function.code.len() {
        let Some(instruction) = DecodedInstruction::first(function.from(offset)) else { return true };
        offset += instruction.len();
        let distance = match instruction.flow() {
            Flow::Branch(distance) | Flow::Jump(distance) => distance,
            Flow::Indirect => return true,
            Flow::Next | Flow::Call | Flow::End => continue,
        };
        let target =
            i64::try_from(offset).ok().and_then(|end| usize::try_from(end.checked_add(distance)?).ok());
        if target.is_some_and(|target| (first..=last).contains(&target)) {
            return true;
        }
    }
    false
}
