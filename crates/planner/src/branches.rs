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

/// Where a function's branches lead near one of its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NearbyTargets {
    /// The offset of the first byte of those that are looked at.
    first: usize,
    /// A bit for each of them that a branch leads to.
    targets: u128,
}

/// So many bytes before the instruction are looked at, of 128.
const BEFORE: usize = 62;

impl NearbyTargets {
    /// Those near an offset. None on the conditions on which [`lead_between`] says so of all.
    ///
    /// Cost: it decodes all of the function.
    pub(crate) fn around(function: &FunctionCode<'_>, offset: usize) -> Option<NearbyTargets> {
        let mut found = NearbyTargets { first: offset.saturating_sub(BEFORE), targets: 0 };
        let mut at = 0;
        while at < function.code.len() {
            let instruction = DecodedInstruction::first(function.from(at))?;
            at += instruction.len();
            match instruction.flow() {
                Flow::Branch(distance) | Flow::Jump(distance) => found.note(at, distance),
                Flow::Indirect => return None,
                Flow::Next | Flow::Call | Flow::End => {}
            }
        }
        Some(found)
    }

    /// Whether one may lead between two bytes of the function, both included.
    pub(crate) fn lead_between(&self, first: usize, last: usize) -> bool {
        let bit = |offset: usize| offset.checked_sub(self.first).filter(|bit| *bit < 128);
        let leads = |offset: usize| bit(offset).is_none_or(|bit| self.targets >> bit & 1 == 1);
        (first..=last).any(leads)
    }

    fn note(&mut self, end: usize, distance: i64) {
        let target = i64::try_from(end).ok().and_then(|end| usize::try_from(end.checked_add(distance)?).ok());
        let bit = target.and_then(|target| target.checked_sub(self.first)).filter(|bit| *bit < 128);
        if let Some(bit) = bit {
            self.targets |= 1 << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_an_instruction_the_same_is_found_as_in_all_of_the_function() {
        // 100 nops; je -16; 20 nops; jmp +2; nop; nop; ret.
        let mut code = [0x90; 129];
        code[100..102].copy_from_slice(&[0x74, 0xf0]);
        code[122..124].copy_from_slice(&[0xeb, 2]);
        code[126] = 0xc3;
        let function = FunctionCode { start: 0x1000, code: &code };
        for offset in [0, 60, 90, 110] {
            let nearby = NearbyTargets::around(&function, offset).unwrap();
            for first in offset.saturating_sub(50)..(offset + 50).min(128) {
                for last in first..(first + 15).min(128) {
                    let expected = lead_between(&function, first, last);
                    assert_eq!(nearby.lead_between(first, last), expected, "{offset} {first} {last}");
                }
            }
            assert!(nearby.lead_between(offset + 200, offset + 201), "it isn't known");
        }
        code[0] = 0x06;
        assert_eq!(NearbyTargets::around(&FunctionCode { start: 0x1000, code: &code }, 60), None);
    }
}
