//! An instruction in another place.

use crate::encoding::LONGEST;
use crate::instruction::{DecodedInstruction, Flow};
use crate::jump_window::JUMP_LEN;

/// Bytes that do at one address what an instruction does at its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedInstruction {
    bytes: [u8; LONGEST],
    len: usize,
}

impl MovedInstruction {
    /// The instruction that `code` begins with, moved from one address to another. None where it can't be:
    /// the memory that it uses is out of reach there, or where it jumps to.
    pub fn new(code: &[u8], from: u64, to: u64) -> Option<MovedInstruction> {
        let instruction = DecodedInstruction::first(code)?;
        if let Flow::Branch(distance) | Flow::Jump(distance) = instruction.flow() {
            let target = from.wrapping_add(instruction.len() as u64).wrapping_add_signed(distance);
            return MovedInstruction::jump(&instruction, to, target);
        }
        let mut moved = MovedInstruction::of([code.get(..instruction.len())?]);
        let Some((at, distance)) = instruction.relative().ok()? else { return Some(moved) };
        let farther = i64::from(distance).checked_add(from.wrapping_sub(to).cast_signed())?;
        let bytes = i32::try_from(farther).ok()?.to_le_bytes();
        for (place, byte) in moved.bytes.iter_mut().skip(at).zip(bytes) {
            *place = byte;
        }
        Some(moved)
    }

    /// A jump to an address, on the same condition: its distance has four bytes.
    fn jump(instruction: &DecodedInstruction, to: u64, target: u64) -> Option<MovedInstruction> {
        let (prefix, opcode) = instruction.jump_apart()?;
        let end = to.wrapping_add(prefix.len() as u64).wrapping_add(JUMP_LEN as u64);
        let distance = i32::try_from(target.wrapping_sub(end).cast_signed()).ok()?;
        Some(MovedInstruction::of([prefix, &[opcode], &distance.to_le_bytes()]))
    }

    fn of<const N: usize>(parts: [&[u8]; N]) -> MovedInstruction {
        let mut moved = MovedInstruction { bytes: [0; LONGEST], len: 0 };
        for (place, byte) in moved.bytes.iter_mut().zip(parts.iter().copied().flatten()) {
            *place = *byte;
            moved.len += 1;
        }
        moved
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_to_where_they_were() {
        // lea rax, [rip + 0x10]; cmp [rip + 0x10], imm8.
        for (code, at) in [(&[0x48, 0x8d, 0x05, 0x10, 0, 0, 0][..], 3), (&[0x80, 0x3d, 0x10, 0, 0, 0, 7], 2)]
        {
            let moved = MovedInstruction::new(code, 0x1000, 0x4000).unwrap();
            let mut expected = code.to_vec();
            expected[at..at + 4].copy_from_slice(&(0x10 - 0x3000_i32).to_le_bytes());
            assert_eq!(moved.bytes(), expected);
            assert_eq!(MovedInstruction::new(code, 0x1000, 0x1_0000_0000), None, "out of reach");
        }
        let moved = MovedInstruction::new(&[0x48, 0x83, 0xec, 0x18, 0xc3], 0x1000, 0x4000).unwrap();
        assert_eq!(moved.bytes(), [0x48, 0x83, 0xec, 0x18]);
    }
}
