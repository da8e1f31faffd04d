//! Where a probe at an instruction can be.

use crate::branches::Branches;
use crate::function_code::FunctionCode;
use crate::instruction::DecodedInstruction;
use crate::jump_space::JumpSpace;
use crate::no_probe_point::NoProbePoint;
use crate::probe_point::ProbePoint;
use crate::replaceable::{MOST, Replaceable, Replaceables, points};
use core::ops::Range;

/// The places for a probe at the instruction with an offset in a function, the best one first. That is the
/// instruction itself, or one after it if it does nothing. `paddings` are addresses of
/// [padding](crate::is_padding) near it.
///
/// Cost: it decodes what is before; all of the function where it does nothing.
pub fn probe_points<'a, P>(
    function: &FunctionCode<'a>,
    offset: usize,
    paddings: P,
) -> Result<impl Iterator<Item = ProbePoint> + Clone + use<'a, P>, NoProbePoint>
where
    P: Iterator<Item = Range<u64>> + Clone,
{
    let first = Replaceable { offset, instruction: find(function, offset)? };
    if !first.instruction.can_move() {
        return Err(NoProbePoint::Flow);
    }
    // Probes come when they like: other threads run.
    let is_in_time = |point: &ProbePoint| point.space != JumpSpace::Beforehand;
    let points = points(*function, candidates(function, first), paddings).filter(is_in_time);
    if points.clone().next().is_none() { Err(NoProbePoint::TwoWords) } else { Ok(points) }
}

/// An instruction, and those after it as long as they do nothing and the next one is only executed after
/// them.
fn candidates(function: &FunctionCode<'_>, first: Replaceable) -> Replaceables {
    let is_passed = first.instruction.does_nothing();
    let branches = if is_passed { Branches::after(function, first.offset + 1) } else { None };
    let mut found = [None; MOST];
    let mut last = first;
    for place in &mut found {
        *place = Some(last);
        let at = last.offset + last.instruction.len();
        let next = DecodedInstruction::first(function.from(at)).filter(|_| last.instruction.does_nothing());
        let Some(instruction) = next else { break };
        if branches.is_none_or(|branches| branches.may_lead_into(first.offset + 1, at)) {
            break;
        }
        last = Replaceable { offset: at, instruction };
    }
    found
}

/// The instruction that begins there.
fn find(function: &FunctionCode<'_>, offset: usize) -> Result<DecodedInstruction, NoProbePoint> {
    let mut at = 0;
    loop {
        if at > offset || at >= function.code.len() {
            return Err(NoProbePoint::NotAnInstruction);
        }
        let instruction = DecodedInstruction::first(function.from(at)).ok_or(NoProbePoint::Unknown)?;
        if at == offset {
            return Ok(instruction);
        }
        at += instruction.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn points(start: u64, code: &[u8], offset: usize) -> Result<Vec<(usize, usize)>, NoProbePoint> {
        let points = probe_points(&FunctionCode { start, code }, offset, core::iter::empty())?;
        Ok(points.map(|point| (point.offset, point.len)).collect())
    }

    #[test]
    fn an_instruction_is_replaced_itself() {
        // push rbp; mov rbp, rsp; call; lea rax, [rdi + 1]; leave; ret.
        let code = [0x55, 0x48, 0x89, 0xe5, 0xe8, 0, 0, 0, 0, 0x48, 0x8d, 0x47, 1, 0xc9, 0xc3];
        assert_eq!(points(0x1000, &code, 0), Ok([(0, 1)].to_vec()));
        assert_eq!(points(0x1000, &code, 1), Ok([(1, 3)].to_vec()));
        assert_eq!(points(0x1000, &code, 2), Err(NoProbePoint::NotAnInstruction));
        assert_eq!(points(0x1000, &code, 4), Err(NoProbePoint::Flow));
        assert_eq!(points(0x1000, &code, 9), Ok([(9, 4)].to_vec()));
        assert_eq!(points(0x1004, &code, 9), Err(NoProbePoint::TwoWords));
        // A jump at the end would have bytes of what is after the function.
        assert_eq!(points(0x1000, &code, 13), Err(NoProbePoint::TwoWords));
        assert_eq!(points(0x1000, &code, 15), Err(NoProbePoint::NotAnInstruction));
        assert_eq!(points(0x1000, &[0x06, 0xc3], 1), Err(NoProbePoint::Unknown));
    }

    #[test]
    fn what_does_nothing_leaves_the_choice_unless_a_branch_leads_past_it() {
        // nop; add rax, 5; ret; three times nop.
        let code = [0x90, 0x48, 0x83, 0xc0, 5, 0xc3, 0x90, 0x90, 0x90];
        assert_eq!(points(0x1000, &code, 0), Ok([(1, 4), (0, 1)].to_vec()));
        // A jump to the addition.
        let code = [0x90, 0x48, 0x83, 0xc0, 5, 0xeb, 0xfa, 0x90, 0x90];
        assert_eq!(points(0x1000, &code, 0), Ok([(0, 1)].to_vec()));
        // And one that nobody knows.
        let code = [0x90, 0x48, 0x83, 0xc0, 5, 0xff, 0xe0, 0x90, 0x90];
        assert_eq!(points(0x1000, &code, 0), Ok([(0, 1)].to_vec()));
    }
}
