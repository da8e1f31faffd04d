//! Places of a function of Go whose instruction can be replaced by a jump.
//!
//! Most functions compare the stack pointer with the end of their goroutine's stack first. Where too little
//! is left they have the runtime make another stack, and begin again. So what is executed once for each call
//! comes after that.
//!
//! r12 and r13 are of no use to anybody where a function begins, until it writes to them: neither the calling
//! convention of the compiler nor that of assembly has anything in them. Whoever is jumped to needs these
//! two, as it may have nothing of the goroutine's stack.
//!
//! What is moved must not fault: the runtime makes a panic of faults in its own code only.

use crate::branches::{Branches, NEAR};
use crate::entry_block::{BlockStep, EntryBlock};
use crate::entry_point::{EntryPoint, in_order};
use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow, StackEffect};
use crate::no_entry_point::NoEntryPoint;
use core::ops::Range;

/// Registers of which nothing is known where a function begins.
const SCRATCH: [u8; 2] = [12, 13];

/// `cmp rsp, [r14 + 16]`, and the same of r12.
const COMPARE_STACK: [u8; 4] = [0x49, 0x3b, 0x66, 0x10];
const COMPARE_LOWEST: [u8; 4] = [0x4d, 0x3b, 0x66, 0x10];

/// `lea r12, [rsp - distance]`, with one byte and with four.
const LOWEST: [(&[u8], usize); 2] = [(&[0x4c, 0x8d, 0x64, 0x24], 5), (&[0x4c, 0x8d, 0xa4, 0x24], 8)];

/// The entry points of a function of Go, the best one first, as [`entry_points`](crate::entry_points) gives
/// those of others.
///
/// Cost: it decodes the function.
pub fn go_entry_points<'a, P>(
    function: &FunctionCode<'a>,
    paddings: P,
) -> Result<impl Iterator<Item = EntryPoint> + Clone + use<'a, P>, NoEntryPoint>
where
    P: Iterator<Item = Range<u64>> + Clone,
{
    let branches = Branches::after(function, 0).ok_or(NoEntryPoint::Unknown)?;
    let start = after_check(function.code);
    if start == 0 && branches.lead_into(0, 0) {
        return Err(NoEntryPoint::Loop);
    }
    let scratch_end = scratch_end(function, start);
    let is_entry = |step: &BlockStep| {
        let offset = step.span.offset();
        let instruction = DecodedInstruction::first(function.from(offset));
        step.can_move
            && offset <= scratch_end
            && offset < NEAR
            && !branches.lead_into(1, offset)
            && instruction.is_some_and(|instruction| !instruction.may_fault())
    };
    in_order(function, EntryBlock::from(function, start).only(is_entry), paddings)
}

/// Where a function goes on once it has stack enough; 0 where it doesn't compare.
fn after_check(code: &[u8]) -> usize {
    let lowest = LOWEST.iter().find(|(bytes, _)| code.starts_with(bytes)).map_or(0, |(_, len)| *len);
    let compare = if lowest == 0 { COMPARE_STACK } else { COMPARE_LOWEST };
    let rest = code.get(lowest..).and_then(|rest| rest.strip_prefix(&compare));
    let branch = rest.and_then(DecodedInstruction::first);
    let branch = branch.filter(|branch| matches!(branch.flow(), Flow::Branch(_)));
    branch.map_or(0, |branch| lowest + compare.len() + branch.len())
}

/// The offset of the first instruction from `start` on that may write to one of [`SCRATCH`].
fn scratch_end(function: &FunctionCode<'_>, start: usize) -> usize {
    let mut offset = start;
    while let Some(instruction) = DecodedInstruction::first(function.from(offset)) {
        let is_push = instruction.stack_effect() == StackEffect::Down(8);
        let effect = instruction.register_effect();
        if !is_push && SCRATCH.iter().any(|register| effect.changes(*register)) {
            break;
        }
        offset += instruction.len();
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryPointPlace;
    use std::vec::Vec;

    fn points(code: &[u8]) -> Result<Vec<(usize, usize, EntryPointPlace)>, NoEntryPoint> {
        let padding = 0x1000 + code.len() as u64..0x1000 + code.len() as u64 + 16;
        let function = FunctionCode { start: 0x1000, code };
        let found = go_entry_points(&function, core::iter::once(padding))?;
        let mut found: Vec<_> =
            found.map(|found| (found.point.offset, found.point.len, found.place)).collect();
        found.dedup();
        Ok(found)
    }

    fn later(depth: u32) -> EntryPointPlace {
        EntryPointPlace::Later { depth, has_arguments: true }
    }

    #[test]
    fn what_is_executed_once_comes_after_the_comparison() {
        // cmp rsp, [r14 + 16]; jbe; sub rsp, 24; mov [rsp + 16], rbp; call; ret; call; jmp to the start.
        let mut code = [&COMPARE_STACK[..], &[0x76, 15, 0x48, 0x83, 0xec, 0x18]].concat();
        code.extend([0x48, 0x89, 0x6c, 0x24, 0x10, 0xe8, 0, 0, 0, 0, 0xc3, 0xe8, 0, 0, 0, 0]);
        let back = (code.len() as u8 + 2).wrapping_neg();
        code.extend([0xeb, back]);
        let found = points(&code).unwrap();
        assert!(found.contains(&(6, 4, later(0))) && found.contains(&(10, 5, later(24))), "{found:?}");
        assert!(found.iter().all(|(offset, ..)| *offset >= 6), "{found:?}");
        // The same with a large frame: lea r12, [rsp - 256]; cmp r12, ...
        let large = [&[0x4c, 0x8d, 0xa4, 0x24, 0, 0xff, 0xff, 0xff], &COMPARE_LOWEST[..]].concat();
        let code = [&large[..], &[0x0f, 0x86, 9, 0, 0, 0, 0x48, 0x81, 0xec, 0, 1, 0, 0, 0xc3]].concat();
        assert_eq!(points(&code).unwrap()[0], (18, 7, later(0)));
    }

    #[test]
    fn a_function_without_a_comparison_is_entered_at_its_start() {
        // inc rax; ret.
        assert_eq!(points(&[0x48, 0xff, 0xc0, 0xc3]).unwrap()[0], (0, 3, EntryPointPlace::First));
        // lea rax, [rbx + rbx]; ret.
        assert_eq!(points(&[0x48, 0x8d, 0x04, 0x1b, 0xc3]).unwrap()[0], (0, 4, EntryPointPlace::First));
        // A loop.
        assert_eq!(points(&[0x48, 0xff, 0xc0, 0xeb, 0xfb]), Err(NoEntryPoint::Loop));
    }

    #[test]
    fn what_may_fault_stays_where_it_is() {
        // mov rax, [rax + 8]; div rcx; mov [rsp + 8], rax; lea rax, [rbx + 8].
        let fault = [&[0x48, 0x8b, 0x40, 8][..], &[0x48, 0xf7, 0xf1]];
        for code in fault.map(|code| [code, &[0xc3]].concat()) {
            let found = points(&code).unwrap_or_default();
            assert!(found.iter().all(|(offset, ..)| *offset > 0), "{code:x?}");
        }
        for code in [&[0x48, 0x89, 0x44, 0x24, 8, 0xc3][..], &[0x48, 0x8d, 0x43, 8, 0xc3]] {
            assert_eq!(points(code).unwrap()[0].0, 0, "{code:x?}");
        }
    }

    #[test]
    fn nothing_is_replaced_once_a_scratch_register_was_written() {
        // mov r12, rax; mov ecx, 5; ret.
        let code = [0x49, 0x89, 0xc4, 0xb9, 5, 0, 0, 0, 0xc3];
        assert!(points(&code).unwrap().iter().all(|(offset, ..)| *offset == 0));
        let code = [0x48, 0x89, 0xc3, 0xb9, 5, 0, 0, 0, 0xc3];
        assert!(points(&code).unwrap().iter().any(|(offset, ..)| *offset == 3));
    }
}
