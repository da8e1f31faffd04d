//! Where a jump has its bytes.

use crate::jump_window::JUMP_LEN;
use core::ops::Range;

/// Where a jump has its bytes that takes the place of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JumpSpace {
    /// In the instruction's place. Where that is too short the jump's last bytes are what follows.
    InPlace,
    /// In the instruction's place, and in [padding](crate::is_padding) after it.
    WithPadding,
    /// In padding at this address, where a short jump in the instruction's place leads.
    Apart(u64),
    /// In the instruction's place, in two words: there has to be a jump before other threads run. Later one
    /// byte of it may change, so it always leads to code, which is near the other code that it may lead to.
    Beforehand,
}

/// Bytes of a short jump: `eb` and a distance.
pub const SHORT_JUMP_LEN: usize = 2;

/// How far from an instruction's address a short jump in its place can lead, and a jump have its bytes there.
pub const SHORT_JUMP_REACH: u64 = 127 + (SHORT_JUMP_LEN + JUMP_LEN) as u64;

impl JumpSpace {
    /// What is stored in the place of an instruction that a jump apart takes: a short jump.
    pub fn short_jump(address: u64, apart: u64) -> Option<[u8; SHORT_JUMP_LEN]> {
        let distance = apart.wrapping_sub(address.wrapping_add(SHORT_JUMP_LEN as u64)).cast_signed();
        let [distance] = i8::try_from(distance).ok()?.to_le_bytes();
        Some([0xeb, distance])
    }

    /// The one where a short jump at an address leads, by its distance.
    pub fn apart_from(address: u64, distance: u8) -> JumpSpace {
        let from = address.wrapping_add(SHORT_JUMP_LEN as u64);
        JumpSpace::Apart(from.wrapping_add_signed(distance.cast_signed().into()))
    }

    /// The spaces in some padding where a short jump at an address can lead, one after the other.
    pub(crate) fn apart(address: u64, padding: Range<u64>) -> impl Iterator<Item = JumpSpace> + Clone {
        let from = address.wrapping_add(SHORT_JUMP_LEN as u64);
        let start = padding.start.max(from.saturating_add_signed(i8::MIN.into()));
        let end = padding.end.min(from.saturating_add_signed(i8::MAX.into()) + JUMP_LEN as u64);
        let mut next = start;
        core::iter::from_fn(move || {
            let at = next;
            next = at.checked_add(JUMP_LEN as u64).filter(|after| *after <= end)?;
            Some(JumpSpace::Apart(at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn apart(address: u64, padding: Range<u64>) -> Vec<u64> {
        let space = |space| if let JumpSpace::Apart(at) = space { at } else { unreachable!() };
        JumpSpace::apart(address, padding).map(space).collect()
    }

    #[test]
    fn spaces_apart_are_where_a_short_jump_leads() {
        assert_eq!(apart(0x1000, 0x1010..0x101a), [0x1010, 0x1015]);
        assert_eq!(apart(0x1000, 0x1010..0x1014), []);
        // The nearest and the farthest one, after and before.
        assert_eq!(apart(0x1000, 0x1081..0x1090), [0x1081]);
        assert_eq!(apart(0x1000, 0x1082..0x1090), []);
        assert_eq!(apart(0x1000, 0xf70..0xf90), [0xf82, 0xf87]);
        for at in apart(0x1000, 0xf00..0x1100) {
            let [opcode, distance] = JumpSpace::short_jump(0x1000, at).unwrap();
            let target = 0x1002_u64.wrapping_add_signed(i64::from(distance.cast_signed()));
            assert_eq!((opcode, target), (0xeb, at));
            assert_eq!(JumpSpace::apart_from(0x1000, distance), JumpSpace::Apart(at));
            assert!(at.abs_diff(0x1000) + JUMP_LEN as u64 <= SHORT_JUMP_REACH);
        }
        assert_eq!(JumpSpace::short_jump(0x1000, 0x1082), None);
        assert_eq!(JumpSpace::short_jump(0x1000, 0xf81), None);
    }
}
