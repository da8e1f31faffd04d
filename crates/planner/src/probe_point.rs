//! Where a probe at an instruction can be.

use crate::branches::lead_between;
use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow};
use crate::jump_window::{JUMP_LEN, JumpWindow};
use crate::no_probe_point::NoProbePoint;

/// An instruction that can be replaced by a jump, and is executed just when the one is that a probe is at,
/// with all as it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePoint {
    /// Where it is, from the function's start.
    pub offset: usize,
    /// Its bytes.
    pub len: usize,
    /// The jumps that can take its place.
    pub window: JumpWindow,
}

/// How many instructions that do nothing are passed at most.
const MOST: usize = 4;

/// The places for a probe at the instruction with an offset in a function, the best one first: those of three
/// bytes and more. That is the instruction itself, or one after it if it does nothing.
///
/// Cost: it decodes what is before; all of the function where it does nothing.
pub fn probe_points(
    function: &FunctionCode<'_>,
    offset: usize,
) -> Result<impl Iterator<Item = ProbePoint> + use<>, NoProbePoint> {
    let first = find(function, offset)?;
    let mut points: [Option<ProbePoint>; MOST] = [None; MOST];
    let mut why = NoProbePoint::TwoWords;
    let (mut at, mut instruction) = (offset, first);
    for place in &mut points {
        match probe_point(function, at, &instruction) {
            Ok(point) => *place = Some(point),
            Err(found) if at == offset => why = found,
            Err(_) => {}
        }
        if !instruction.does_nothing() {
            break;
        }
        at += instruction.len();
        let Some(next) = DecodedInstruction::first(function.from(at)) else { break };
        if lead_between(function, offset + 1, at) {
            break;
        }
        instruction = next;
    }
    if points.iter().all(Option::is_none) {
        return Err(why);
    }
    let is_short = |point: &ProbePoint| point.len < 3;
    let long = points.into_iter().flatten().filter(move |point| !is_short(point));
    Ok(long.chain(points.into_iter().flatten().filter(is_short)))
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

fn probe_point(
    function: &FunctionCode<'_>,
    offset: usize,
    instruction: &DecodedInstruction,
) -> Result<ProbePoint, NoProbePoint> {
    if instruction.flow() != Flow::Next || instruction.relative().is_err() {
        return Err(NoProbePoint::Flow);
    }
    let (address, len) = (function.address(offset), instruction.len());
    let window = JumpWindow::new(address, len, function.from(offset + len));
    let window = window.filter(|_| address % 8 + len.min(JUMP_LEN) as u64 <= 8);
    Ok(ProbePoint { offset, len, window: window.ok_or(NoProbePoint::TwoWords)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn points(start: u64, code: &[u8], offset: usize) -> Result<Vec<(usize, usize)>, NoProbePoint> {
        let points = probe_points(&FunctionCode { start, code }, offset)?;
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
