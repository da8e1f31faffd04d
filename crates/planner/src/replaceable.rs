//! An instruction that may be replaced by a jump, wherever it is.

use crate::function_code::FunctionCode;
use crate::instruction::DecodedInstruction;
use crate::jump_space::{JumpSpace, SHORT_JUMP_LEN};
use crate::jump_window::{JUMP_LEN, JumpWindow};
use crate::probe_point::ProbePoint;
use core::ops::Range;

/// An instruction that may be replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaceable {
    pub(crate) offset: usize,
    pub(crate) instruction: DecodedInstruction,
}

/// Where in its function an instruction is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstructionSpan {
    offset: u32,
    len: u8,
}

impl InstructionSpan {
    /// None where it is too far from the function's start.
    pub(crate) fn new(offset: usize, len: usize) -> Option<InstructionSpan> {
        Some(InstructionSpan { offset: u32::try_from(offset).ok()?, len: u8::try_from(len).ok()? })
    }

    /// Where it begins, from the function's start.
    pub(crate) fn offset(&self) -> usize {
        self.offset as usize
    }

    /// Its bytes.
    pub(crate) fn len(&self) -> usize {
        self.len.into()
    }

    /// In its own place, if that lies in one word.
    pub(crate) fn in_place(self, function: &FunctionCode<'_>) -> Option<ProbePoint> {
        let (offset, len) = (self.offset(), self.len());
        let address = function.address(offset);
        let window = JumpWindow::new(address, len, function.from(offset + len))?;
        let point = ProbePoint { offset, len, space: JumpSpace::InPlace, window };
        is_one_word(address, len.min(JUMP_LEN)).then_some(point)
    }

    /// In its own place, in two words.
    fn beforehand(self, function: &FunctionCode<'_>) -> Option<ProbePoint> {
        let (offset, len) = (self.offset(), self.len());
        let address = function.address(offset);
        let (space, window) = (JumpSpace::Beforehand, JumpWindow::free(address));
        let point = ProbePoint { offset, len, space, window };
        (len >= JUMP_LEN && !is_one_word(address, JUMP_LEN)).then_some(point)
    }

    /// With padding.
    pub(crate) fn padded<'a, P: Iterator<Item = Range<u64>> + Clone>(
        self,
        function: FunctionCode<'a>,
        paddings: P,
    ) -> impl Iterator<Item = ProbePoint> + Clone + use<'a, P> {
        let (offset, len) = (self.offset(), self.len());
        let address = function.address(offset);
        let end = address.wrapping_add(len as u64);
        let is_last = offset + len == function.code.len();
        paddings.flat_map(move |padding| {
            let after = JUMP_LEN.checked_sub(len).filter(|_| is_last && padding.start == end);
            let fits =
                |after: &usize| padding.end - padding.start >= *after as u64 && is_one_word(address, len);
            let own = after.filter(fits).map(|_| JumpSpace::WithPadding);
            let is_short = len >= SHORT_JUMP_LEN && is_one_word(address, SHORT_JUMP_LEN);
            let padding = if is_short { padding } else { 0..0 };
            own.into_iter().chain(JumpSpace::apart(address, padding)).map(move |space| {
                let jump = if let JumpSpace::Apart(apart) = space { apart } else { address };
                ProbePoint { offset, len, space, window: JumpWindow::free(jump) }
            })
        })
    }
}

/// The most of them that are looked at for one thing.
pub(crate) const MOST: usize = 4;

/// Some of them.
pub(crate) type Replaceables = [Option<Replaceable>; MOST];

/// In the place of fewer bytes a jump takes a page of memory, or two.
const LONG: usize = 3;

/// How the first ones of these can be replaced, the best first: in their own place, with padding, beforehand,
/// and in the place of one or two bytes.
pub(crate) fn points<'a, P>(
    function: FunctionCode<'a>,
    candidates: Replaceables,
    paddings: P,
) -> impl Iterator<Item = ProbePoint> + Clone + use<'a, P>
where
    P: Iterator<Item = Range<u64>> + Clone,
{
    let all = candidates.into_iter().flatten().filter(|candidate| candidate.instruction.can_move());
    let all = all.filter_map(|found| InstructionSpan::new(found.offset, found.instruction.len()));
    let in_place = all.clone().filter_map(move |span| span.in_place(&function));
    let long = in_place.clone().filter(|point| point.len >= LONG);
    let beforehand = all.clone().filter_map(move |span| span.beforehand(&function));
    let with_padding = all.flat_map(move |span| span.padded(function, paddings.clone()));
    long.chain(with_padding).chain(beforehand).chain(in_place.filter(|point| point.len < LONG))
}

/// Whether so many bytes can be stored at once.
fn is_one_word(address: u64, len: usize) -> bool {
    address % 8 + len as u64 <= 8
}
