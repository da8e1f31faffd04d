//! What `.eh_frame` says of a function: where its frame is, instruction by instruction.

use crate::byte_reader::ByteReader;

/// What the place of a return address is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameBase {
    /// The stack pointer.
    StackPointer,
    /// The frame pointer, rbp.
    FramePointer,
}

/// Where a function's return address is, at some instruction of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReturnAddress {
    /// A register, as it is before the instruction.
    pub base: FrameBase,
    /// ByteReader from there.
    pub offset: i32,
}

/// A function's instructions about its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameProgram<'a> {
    /// Those that it shares with others.
    common: ByteReader<'a>,
    own: ByteReader<'a>,
}

/// The numbers of registers.
const RAX: u8 = 0;
const RBP: u64 = 6;
const RSP: u64 = 7;
const RETURN_ADDRESS: u64 = 16;

/// The frame: a register and an offset. None where it has no such form.
type FrameRule = Option<(u64, i64)>;

/// Rules that may be kept for later at a time.
const KEPT: usize = 8;

impl<'a> FrameProgram<'a> {
    /// That of a function, by the description that it shares with others, from its id on, and its own
    /// instructions. None where these need more than is known here.
    pub(crate) fn new(common: ByteReader<'a>, own: ByteReader<'a>) -> Option<FrameProgram<'a>> {
        let mut common = common;
        let (id, version) = (common.u32()?, common.u8()?);
        if id != 0 || version != 1 {
            return None;
        }
        let end = common.0.iter().position(|byte| *byte == 0)?;
        let letters = common.0.get(..end)?;
        common.skip(end + 1)?;
        // Addresses are counted in bytes, offsets in words downwards, and the last column is that of the
        // return address.
        let (1, -8, 16) = (common.uleb()?, common.sleb()?, common.u8()?) else { return None };
        if letters.starts_with(b"z") {
            let augmentation = common.uleb()? as usize;
            common.skip(augmentation)?;
        }
        // That of what a handler of signals returns to begins before the first instruction: an S.
        letters.iter().all(|letter| b"zRPL".contains(letter)).then_some(FrameProgram { common, own })
    }

    /// Whether all of its instructions are understood: not those of a function that saves what it returns, as
    /// unwinders do, whose callers' frames it is about.
    pub(crate) fn is_understood(&self) -> bool {
        let start = run(self.common, u64::MAX, None);
        start.and_then(|start| run(self.own, u64::MAX, start)).is_some()
    }

    /// Where the return address is at an offset from the function's start.
    pub(crate) fn return_address(&self, offset: u64) -> Option<ReturnAddress> {
        let start = run(self.common, u64::MAX, None)?;
        let (register, distance) = run(self.own, offset, start)??;
        let base = match register {
            RSP => FrameBase::StackPointer,
            RBP => FrameBase::FramePointer,
            _ => return None,
        };
        // The frame begins after it.
        Some(ReturnAddress { base, offset: i32::try_from(distance.checked_sub(8)?).ok()? })
    }
}

/// The rule that holds at the offset `until`. None for what can't be read.
fn run(instructions: ByteReader<'_>, until: u64, first: FrameRule) -> Option<FrameRule> {
    let (mut rest, mut at, mut rule) = (instructions, 0_u64, first);
    let (mut kept, mut count) = ([None; KEPT], 0_usize);
    while let Some(code) = rest.u8() {
        let low = u64::from(code & 0x3f);
        let advanced = match (code >> 6, code) {
            (1, _) => low,
            (_, 0x02) => rest.u8()?.into(),
            (_, 0x03) => u16::from_le_bytes(rest.take()?).into(),
            (_, 0x04) => rest.u32()?.into(),
            _ => 0,
        };
        at = at.saturating_add(advanced);
        if at > until {
            break;
        }
        match (code >> 6, code) {
            // Where it goes on, and nothing.
            (1, _) | (0, 0x00 | 0x02..=0x04) => {}
            // What a process begins with returns to nobody.
            (_, 0x07) => {
                if rest.uleb()? == RETURN_ADDRESS {
                    return Some(None);
                }
            }
            // Where registers are kept.
            (2, _) if code & 0x3f == RAX => return None,
            (2, _) | (_, 0x2e) => drop(rest.uleb()?),
            (3, _) => {}
            (_, 0x06 | 0x08) => drop(rest.uleb()?),
            (_, 0x05 | 0x09 | 0x14) => drop((rest.uleb()?, rest.uleb()?)),
            (_, 0x11 | 0x15) => drop((rest.uleb()?, rest.sleb()?)),
            (_, 0x10 | 0x16) => {
                rest.uleb()?;
                let len = rest.uleb()? as usize;
                rest.skip(len)?;
            }
            (_, 0x0a) => {
                *kept.get_mut(count)? = rule;
                count += 1;
            }
            (_, 0x0b) => {
                count = count.checked_sub(1)?;
                rule = *kept.get(count)?;
            }
            // What the frame is counted from.
            (_, 0x0c) => rule = Some((rest.uleb()?, i64::try_from(rest.uleb()?).ok()?)),
            (_, 0x0d) => rule = Some((rest.uleb()?, rule?.1)),
            (_, 0x0e) => rule = Some((rule?.0, i64::try_from(rest.uleb()?).ok()?)),
            (_, 0x12) => rule = Some((rest.uleb()?, rest.sleb()?.checked_mul(-8)?)),
            (_, 0x13) => rule = Some((rule?.0, rest.sleb()?.checked_mul(-8)?)),
            (_, 0x0f) => {
                let len = rest.uleb()? as usize;
                rest.skip(len)?;
                rule = None;
            }
            _ => return None,
        }
    }
    Some(rule)
}
