//! Places of a function whose instruction can be replaced by a jump.

use crate::branches::{Branches, NEAR};
use crate::entry_block::{BlockStep, BlockSteps, EntryBlock, STEPS};
use crate::function_code::FunctionCode;
use crate::jump_window::JUMP_LEN;
use crate::no_entry_point::NoEntryPoint;
use crate::probe_point::ProbePoint;
use core::ops::Range;

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
    /// The instruction, and where the jump is.
    pub point: ProbePoint,
    /// Where it is in the function.
    pub place: EntryPointPlace,
}

/// The entry points of a function, the best one first. `paddings` are addresses of
/// [padding](crate::is_padding) near it.
///
/// Cost: it decodes the function.
pub fn entry_points<'a, P>(
    function: &FunctionCode<'a>,
    paddings: P,
) -> Result<impl Iterator<Item = EntryPoint> + Clone + use<'a, P>, NoEntryPoint>
where
    P: Iterator<Item = Range<u64>> + Clone,
{
    let branches = Branches::after(function, 0).ok_or(NoEntryPoint::Unknown)?;
    if branches.lead_into(0, 0) {
        return Err(NoEntryPoint::Loop);
    }
    let block = EntryBlock::from(function, 0);
    let steps = block.only(|step| step.can_move && is_once(&branches, block.frame, step.span.offset()));
    in_order(function, steps, paddings)
}

/// The entry points that replace these steps, the best one first.
pub(crate) fn in_order<'a, P>(
    function: &FunctionCode<'a>,
    steps: BlockSteps,
    paddings: P,
) -> Result<impl Iterator<Item = EntryPoint> + Clone + use<'a, P>, NoEntryPoint>
where
    P: Iterator<Item = Range<u64>> + Clone,
{
    let (function, ranked) = (*function, Ranked::of(&steps));
    let in_place = move |places: Range<usize>| {
        let steps = places.filter_map(move |place| ranked.0.get(place).copied().flatten());
        steps.filter_map(move |step| Some(step.at(step.span.in_place(&function)?)))
    };
    let padded = steps.into_iter().flatten().flat_map(move |step| {
        let points = step.span.padded(function, paddings.clone());
        points.map(move |point| step.at(point))
    });
    let better = ranked.count_to(WITH_ARGUMENTS);
    let points = in_place(0..better).chain(padded).chain(in_place(better..STEPS));
    if points.clone().next().is_none() { Err(NoEntryPoint::TwoWords) } else { Ok(points) }
}

const RANKS: usize = 13;
/// The ranks of those that have arguments, and take no page of memory for themselves.
const WITH_ARGUMENTS: usize = 4;

/// How good an instruction is: the first one is best, then those before which arguments are there; of these
/// the longer ones, in whose place more jumps fit. Those of one or two bytes come last: each takes a page of
/// memory.
fn rank(step: &BlockStep) -> usize {
    let shared = JUMP_LEN.saturating_sub(step.span.len());
    match (step.span.offset(), step.has_arguments, shared.checked_sub(3)) {
        (0, _, None) => 0,
        (_, true, None) => 1 + shared,
        (_, false, None) => 4 + shared,
        (0, _, Some(more)) => 7 + more,
        (_, true, Some(more)) => 9 + more,
        (_, false, Some(more)) => 11 + more,
    }
}

/// The steps of a block, those with the lowest ranks first.
#[derive(Debug, Clone, Copy)]
struct Ranked(BlockSteps);

impl Ranked {
    fn of(steps: &BlockSteps) -> Ranked {
        let mut ranked = Ranked([None; STEPS]);
        let of_rank = |rank: usize| steps.iter().flatten().filter(move |step| self::rank(step) == rank);
        let places = ranked.0.iter_mut();
        places.zip((0..RANKS).flat_map(of_rank)).for_each(|(place, step)| *place = Some(*step));
        ranked
    }

    /// How many have a lower rank.
    fn count_to(&self, rank: usize) -> usize {
        self.0.iter().flatten().filter(|step| self::rank(step) < rank).count()
    }
}

/// Whether what is at an offset is executed once for each call: what may be jumped to by whoever knows the
/// way is after the frame is set up, as the stack would be another one.
fn is_once(branches: &Branches, frame: Option<usize>, offset: usize) -> bool {
    offset < NEAR
        && !branches.lead_into(1, offset)
        && (!branches.has_indirect || frame.is_some_and(|frame| offset <= frame) || offset == 0)
}

impl BlockStep {
    /// The entry point that replaces it.
    fn at(&self, point: ProbePoint) -> EntryPoint {
        let BlockStep { depth, has_arguments, .. } = *self;
        let later = EntryPointPlace::Later { depth, has_arguments };
        EntryPoint { point, place: if point.offset == 0 { EntryPointPlace::First } else { later } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JumpSpace;
    use std::vec::Vec;

    /// Without padding.
    fn found(start: u64, code: &[u8]) -> Result<Vec<EntryPoint>, NoEntryPoint> {
        Ok(entry_points(&FunctionCode { start, code }, core::iter::empty())?.collect())
    }

    /// Those of three bytes and more.
    fn points(start: u64, code: &[u8]) -> Result<Vec<(usize, usize, EntryPointPlace)>, NoEntryPoint> {
        let of = |EntryPoint { point, place }| (point.offset, point.len, place);
        let points: Vec<_> =
            found(start, code)?.into_iter().map(of).filter(|(_, len, _)| *len >= 3).collect();
        if points.is_empty() { Err(NoEntryPoint::TwoWords) } else { Ok(points) }
    }

    #[test]
    fn short_instructions_come_last() {
        // push rbp; mov rbp, rsp; push r15; call.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0xe8, 0, 0, 0, 0];
        let offsets = |start, code| {
            let points = found(start, code).unwrap().into_iter();
            points.map(|found| found.point.offset).collect::<Vec<_>>()
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
        let found = found(0x1000, &code).unwrap();
        assert_eq!(found.iter().map(|found| (found.point.offset, found.point.len)).next(), Some((0, 1)));
        // call; jmp rax.
        assert_eq!(points(0x1000, &[0xe8, 0, 1, 0, 0, 0xc3]), Err(NoEntryPoint::TwoWords));
        assert_eq!(points(0x1000, &[0xff, 0xe0, 0x66, 0x90, 0x90, 0x90]), Err(NoEntryPoint::TwoWords));
    }

    #[test]
    fn padding_is_better_than_to_do_without_arguments_and_worse_than_a_place_of_its_own() {
        let points = |start, code: &[u8], padding: Range<u64>| {
            let function = FunctionCode { start, code };
            let points = entry_points(&function, core::iter::once(padding)).unwrap();
            points.map(|found| (found.point.offset, found.point.space)).collect::<Vec<_>>()
        };
        // xor edi, edi; mov eax, imm32; ret.
        let code = [0x31, 0xff, 0xb8, 0, 0, 0, 0, 0xc3];
        let (inside, apart) = (JumpSpace::InPlace, JumpSpace::Apart(0x1020));
        assert_eq!(points(0x1000, &code, 0..0), [(2, inside), (0, inside)]);
        let expected = [(0, apart), (2, apart), (2, inside), (0, inside)];
        assert_eq!(points(0x1000, &code, 0x1020..0x1026), expected);
        // mov eax, imm32; ret.
        assert_eq!(points(0x1000, &code[2..], 0x1020..0x1026)[..2], [(0, inside), (0, apart)]);
        // In two words; a return with what is after it.
        assert_eq!(points(0x1005, &code[2..], 0x1020..0x1026), [(0, apart)]);
        let after = points(0x1000, &[0xc3], 0x1001..0x1010);
        assert_eq!(after, [(0, JumpSpace::WithPadding)]);
        assert_eq!(points(0x1000, &[0xc3, 0, 0, 0, 0], 0x1001..0x1004), [(0, inside)]);
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
