//! What a function executes each time that it is called, before it branches or calls anything.

use crate::function_code::FunctionCode;
use crate::instruction::{DecodedInstruction, Flow, StackEffect};
use crate::replaceable::InstructionSpan;

/// The most instructions that are looked at.
pub(crate) const STEPS: usize = 24;

/// Instructions of a block, in their order.
pub(crate) type BlockSteps = [Option<BlockStep>; STEPS];

/// An instruction of the block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockStep {
    /// Where it is.
    pub(crate) span: InstructionSpan,
    /// Whether it does the same at another address.
    pub(crate) can_move: bool,
    /// How far above the stack pointer the return address is before it.
    pub(crate) depth: u32,
    /// Whether arguments are still in their registers before it.
    pub(crate) has_arguments: bool,
}

/// The instructions of a function up to its first branch or call, that included, before which flags mean
/// nothing, and before which nothing was put below the stack pointer.
#[derive(Debug)]
pub(crate) struct EntryBlock {
    steps: BlockSteps,
    /// The offset of the last one that moves the stack pointer: what is before its end is executed once.
    pub(crate) frame: Option<usize>,
}

impl EntryBlock {
    /// From an offset on, before which the stack pointer has not been moved.
    pub(crate) fn from(function: &FunctionCode<'_>, start: usize) -> EntryBlock {
        let mut block = EntryBlock { steps: [None; STEPS], frame: None };
        let (mut offset, mut depth, mut has_arguments) = (start, 0u32, true);
        for place in &mut block.steps {
            let Some(instruction) = DecodedInstruction::first(function.from(offset)) else { break };
            let Some(span) = InstructionSpan::new(offset, instruction.len()) else { break };
            *place = Some(BlockStep { span, can_move: instruction.can_move(), depth, has_arguments });
            if instruction.flow() != Flow::Next
                || !instruction.leaves_no_flags()
                || instruction.uses_red_zone()
            {
                break;
            }
            match instruction.stack_effect() {
                StackEffect::None => {}
                StackEffect::Down(bytes) => {
                    block.frame = Some(offset);
                    depth = depth.saturating_add(bytes);
                }
                StackEffect::Unknown => break,
            }
            has_arguments &= !instruction.changes_arguments();
            offset += instruction.len();
        }
        block
    }

    /// Its instructions without those that don't fulfil a condition.
    pub(crate) fn only(&self, is_wanted: impl Fn(&BlockStep) -> bool) -> BlockSteps {
        self.steps.map(|step| step.filter(&is_wanted))
    }
}
