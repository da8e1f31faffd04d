//! Places of a function whose instruction can be replaced by a jump.

use crate::branches::{Branches, NEAR};
use crate::entry_block::{BlockStep, EntryBlock};
use crate::function_code::FunctionCode;
use crate::jump_window::{JUMP_LEN, JumpWindow};
use crate::no_entry_point::NoEntryPoint;

/// Where in its function an entry point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryPointPlace {
    /// At its first instruction.
    First,
    /// After some that set up its frame.
    Later {
        /// How far above the stack pointer the return address is.
        depth: u32,
        /// Whether arguments are still in their registers.
        has_arguments: bool,
    },
}

/// An instruction that can be replaced by a jump: it is executed once for each call of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryPoint {
    /// Where it is, from the function's start.
    pub offset: usize,
    /// Its bytes.
    pub len: usize,
    /// Where it is in the function.
    pub place: EntryPointPlace,
    /// The jumps that can take its place.
    pub window: JumpWindow,
}

/// How many of a function are kept.
const MOST: usize = 8;

/// The entry points of a function, the best one first.
pub fn entry_points(
    function: &FunctionCode<'_>,
) -> Result<impl Iterator<Item = EntryPoint> + use<>, NoEntryPoint> {
    let branches = Branches::after(function, 0).ok_or(NoEntryPoint::Unknown)?;
    if branches.lead_into(0, 0) {
        return Err(NoEntryPoint::Loop);
    }
    let block = EntryBlock::of(function);
    let mut found: [Option<EntryPoint>; MOST] = [None; MOST];
    let mut places = found.iter_mut();
    for rank in 0..RANKS {
        let of_rank = block.steps().filter(|step| self::rank(step) == rank);
        let points = of_rank.filter_map(|step| entry_point(function, &branches, &block, step));
        for (point, place) in points.zip(places.by_ref()) {
            *place = Some(point);
        }
    }
    if found.iter().all(Option::is_none) {
        Err(NoEntryPoint::TwoWords)
    } else {
        Ok(found.into_iter().flatten())
    }
}

const RANKS: usize = 13;

/// How good an instruction is: the first one is best, then those before which arguments are there; of these
/// the longer ones, in whose place more jumps fit. Those of one or two bytes come last: each takes a page of
/// memory.
fn rank(step: &BlockStep) -> usize {
    let shared = JUMP_LEN.saturating_sub(step.instruction.len());
    match (step.offset, step.has_arguments, shared.checked_sub(3)) {
        (0, _, None) => 0,
        (_, true, None) => 1 + shared,
        (_, false, None) => 4 + shared,
        (0, _, Some(more)) => 7 + more,
        (_, true, Some(more)) => 9 + more,
        (_, false, Some(more)) => 11 + more,
    }
}

fn entry_point(
    function: &FunctionCode<'_>,
    branches: &Branches,
    block: &EntryBlock,
    step: &BlockStep,
) -> Option<EntryPoint> {
    let BlockStep { instruction, offset, depth, has_arguments } = *step;
    let address = function.address(offset);
    let changed = instruction.len().min(JUMP_LEN) as u64;
    let is_one_word = address % 8 + changed <= 8;
    // What may be jumped to by whoever knows the way is after the frame is set up: the stack would be
    // another one.
    let is_once = offset < NEAR
        && !branches.lead_into(1, offset)
        && (!branches.has_indirect || block.frame.is_some_and(|frame| offset <= frame) || offset == 0);
    let can_move = instruction.can_move();
    let window = JumpWindow::new(address, instruction.len(), function.from(offset + instruction.len()))?;
    let place =
        if offset == 0 { EntryPointPlace::First } else { EntryPointPlace::Later { depth, has_arguments } };
    let found = EntryPoint { offset, len: instruction.len(), place, window };
    (is_one_word && is_once && can_move).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Those of three bytes and more.
    fn points(start: u64, code: &[u8]) -> Result<Vec<(usize, usize, EntryPointPlace)>, NoEntryPoint> {
        let points = entry_points(&FunctionCode { start, code })?.filter(|point| point.len >= 3);
        let points: Vec<_> = points.map(|point| (point.offset, point.len, point.place)).collect();
        if points.is_empty() { Err(NoEntryPoint::TwoWords) } else { Ok(points) }
    }

    #[test]
    fn short_instructions_come_last() {
        // push rbp; mov rbp, rsp; push r15; call.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0xe8, 0, 0, 0, 0];
        let offsets = |start, code| {
            let points = entry_points(&FunctionCode { start, code }).unwrap();
            points.map(|point| point.offset).collect::<Vec<_>>()
        };
        assert_eq!(offsets(0x1000, &code), [1, 0, 4]);
        // Where it lies in two words the second one is none.
        assert_eq!(offsets(0x1006, &code), [0, 4]);
    }

    fn later(depth: u32, has_arguments: bool) -> EntryPointPlace {
        EntryPointPlace::Later { depth, has_arguments }
    }

    #[test]
    fn the_first_instruction_is_best_then_what_leaves_arguments_then_long_ones() {
        // sub rsp, 24; mov edi, 5; mov [rsp], 0 in eight bytes; ret.
        let code = [0x48, 0x83, 0xec, 0x18, 0xbf, 5, 0, 0, 0, 0x48, 0xc7, 0x04, 0x24, 0, 0, 0, 0, 0xc3];
        let expected = [(0, 4, EntryPointPlace::First), (9, 8, later(24, false))];
        assert_eq!(points(0x1000, &code), Ok(expected.to_vec()));
        // push rbp; mov rbp, rsp; push rbx; mov rax, imm64; ret.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xc3];
        let expected = [(5, 10, later(16, true)), (1, 3, later(8, true))];
        assert_eq!(points(0x1003, &code), Ok(expected.to_vec()));
    }

    #[test]
    fn what_lies_in_two_words_is_no_entry_point() {
        let code = [0x48, 0x83, 0xec, 0x18, 0xc3, 0x90];
        assert!(points(0x1004, &code).is_ok());
        assert_eq!(points(0x1005, &code), Err(NoEntryPoint::TwoWords));
    }

    #[test]
    fn what_a_branch_leads_to_is_executed_more_than_once() {
        // push rbx; mov rbx, rdi; sub rsp, 16; jmp to the second one.
        let code = [0x53, 0x48, 0x89, 0xfb, 0x48, 0x83, 0xec, 0x10, 0xeb, 0xf7];
        assert_eq!(points(0x1000, &code), Err(NoEntryPoint::TwoWords));
        // The same one jumps to the third: the second is left.
        let code = [0x53, 0x48, 0x89, 0xfb, 0x48, 0x83, 0xec, 0x10, 0xeb, 0xfa];
        assert_eq!(points(0x1000, &code), Ok([(1, 3, later(8, true))].to_vec()));
        // And to the first.
        let code = [0x48, 0x83, 0xec, 0x10, 0xeb, 0xfa];
        assert_eq!(points(0x1000, &code), Err(NoEntryPoint::Loop));
    }

    #[test]
    fn jumps_and_returns_can_be_moved_and_calls_can_not() {
        // jmp away; the same after a push; je away; ret, before a nop of four bytes.
        let code = [0xe9, 0, 1, 0, 0];
        assert_eq!(points(0x1000, &code), Ok([(0, 5, EntryPointPlace::First)].to_vec()));
        let code = [0x53, 0xe9, 0, 1, 0, 0];
        assert_eq!(points(0x1002, &code), Ok([(1, 5, later(8, true))].to_vec()));
        let code = [0x0f, 0x84, 0, 1, 0, 0, 0xc3];
        assert_eq!(points(0x1000, &code), Ok([(0, 6, EntryPointPlace::First)].to_vec()));
        let code = [0xc3, 0x0f, 0x1f, 0x40, 0];
        let found = entry_points(&FunctionCode { start: 0x1000, code: &code }).unwrap();
        assert_eq!(found.map(|point| (point.offset, point.len)).collect::<Vec<_>>(), [(0, 1)]);
        // call; jmp rax.
        assert_eq!(points(0x1000, &[0xe8, 0, 1, 0, 0, 0xc3]), Err(NoEntryPoint::TwoWords));
        assert_eq!(points(0x1000, &[0xff, 0xe0, 0x66, 0x90, 0x90, 0x90]), Err(NoEntryPoint::TwoWords));
    }

    #[test]
    fn after_a_complete_frame_a_table_may_lead() {
        // push rbx; mov rbx, rdi; lea rax, [rip]; jmp rax.
        let code = [0x53, 0x48, 0x89, 0xfb, 0x48, 0x8d, 0x05, 0, 0, 0, 0, 0xff, 0xe0];
        assert_eq!(points(0x1000, &code), Err(NoEntryPoint::TwoWords));
        // With sub rsp, 16 after the copy.
        let code = [0x53, 0x48, 0x89, 0xfb, 0x48, 0x83, 0xec, 0x10, 0xff, 0xe0];
        assert_eq!(points(0x1000, &code), Ok([(4, 4, later(8, true)), (1, 3, later(8, true))].to_vec()));
    }

    #[test]
    fn flags_and_what_is_below_the_stack_pointer_end_the_search() {
        // push rbx; cmp edi, 5; mov rax, rdi; je.
        let code = [0x53, 0x83, 0xff, 5, 0x48, 0x89, 0xf8, 0x74, 0, 0xc3];
        assert_eq!(points(0x1000, &code), Ok([(1, 3, later(8, true))].to_vec()));
        // push rbp; mov rbp, rsp; mov [rbp - 20], edi; mov rax, rdi; ret.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x89, 0x7d, 0xec, 0x48, 0x89, 0xf8, 0xc3];
        assert_eq!(points(0x1000, &code), Ok([(1, 3, later(8, true)), (4, 3, later(8, true))].to_vec()));
    }

    #[test]
    fn bytes_that_are_no_instructions_are_refused() {
        assert_eq!(points(0x1000, &[0x48, 0x83, 0xec, 0x18, 0x06, 0xc3]), Err(NoEntryPoint::Unknown));
        assert_eq!(points(0x1000, &[]), Err(NoEntryPoint::TwoWords));
    }
}
