//! Where a function's own branches lead.

use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow};

/// So many bytes are looked at as targets.
pub(crate) const NEAR: usize = 128;

/// Where the branches of a function lead, as far as that is near one of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Branches {
    /// The first byte that is looked at, of [`NEAR`].
    first: usize,
    /// A bit for each of them that one leads to.
    targets: u128,
    /// Whether there are jumps to places that only the running program knows.
    pub(crate) has_indirect: bool,
}

impl Branches {
    /// Those of a function that lead to bytes from `first` on. None where some of its bytes are no
    /// instructions that are known.
    ///
    /// Cost: it decodes all of them.
    pub(crate) fn after(function: &FunctionCode<'_>, first: usize) -> Option<Branches> {
        let mut found = Branches { first, targets: 0, has_indirect: false };
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

    /// Whether one leads to a byte between these two, both included: also where that isn't known, as it is
    /// none of those that are looked at.
    pub(crate) fn lead_into(&self, first: usize, last: usize) -> bool {
        (first..=last).any(|offset| self.bit(offset).is_none_or(|bit| self.targets >> bit & 1 == 1))
    }

    /// As [`Branches::lead_into`], also where a jump only knows where it leads when it is executed.
    pub(crate) fn may_lead_into(&self, first: usize, last: usize) -> bool {
        self.has_indirect || self.lead_into(first, last)
    }

    fn note(&mut self, end: usize, distance: i64) {
        let target = i64::try_from(end).ok().and_then(|end| usize::try_from(end.checked_add(distance)?).ok());
        if let Some(bit) = target.and_then(|target| self.bit(target)) {
            self.targets |= 1 << bit;
        }
    }

    fn bit(&self, offset: usize) -> Option<usize> {
        offset.checked_sub(self.first).filter(|bit| *bit < NEAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_branches_lead_is_known_of_the_bytes_that_are_looked_at() {
        // 100 nops; je -16; 20 nops; jmp +2; nop; nop; ret.
        let mut code = [0x90; 129];
        code[100..102].copy_from_slice(&[0x74, 0xf0]);
        code[122..124].copy_from_slice(&[0xeb, 2]);
        code[126] = 0xc3;
        let function = FunctionCode { start: 0x1000, code: &code };
        for start in [0, 30, 86] {
            let branches = Branches::after(&function, start).unwrap();
            for first in start..128 {
                for last in first..(first + 15).min(128) {
                    let expected = [86, 126].iter().any(|target| (first..=last).contains(target));
                    assert_eq!(branches.lead_into(first, last), expected, "{start} {first} {last}");
                }
            }
            assert!(branches.lead_into(start + 128, start + 128), "it isn't known");
            assert!(start == 0 || branches.lead_into(start - 1, start - 1));
            assert!(!branches.may_lead_into(start, start) || start == 86);
        }
        // jmp rax.
        code[10..12].copy_from_slice(&[0xff, 0xe0]);
        let branches = Branches::after(&FunctionCode { start: 0x1000, code: &code }, 0).unwrap();
        assert!(!branches.lead_into(5, 5) && branches.may_lead_into(5, 5));
        code[0] = 0x06;
        assert_eq!(Branches::after(&FunctionCode { start: 0x1000, code: &code }, 0), None);
    }
}
