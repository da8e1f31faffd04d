//! Where a jump may lead whose last bytes are given.

use core::ops::Range;

/// Bytes of a jump: `e9` and a distance.
pub const JUMP_LEN: usize = 5;

/// The jumps that can take the place of an instruction: those whose last bytes are what follows that, as
/// these bytes stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpWindow {
    /// The end of the jump, from which its distance counts.
    end: u64,
    /// The bytes that stay.
    fixed: [u8; JUMP_LEN - 1],
    /// How many of them there are.
    count: usize,
}

impl JumpWindow {
    /// Those at `address`, in the place of an instruction of `len` bytes, before `following` ones. None where
    /// there is none.
    pub(crate) fn new(address: u64, len: usize, following: &[u8]) -> Option<JumpWindow> {
        let count = JUMP_LEN.saturating_sub(len);
        let mut fixed = [0; JUMP_LEN - 1];
        for (place, byte) in fixed.get_mut(..count)?.iter_mut().zip(following.get(..count)?) {
            *place = *byte;
        }
        Some(JumpWindow { end: address.wrapping_add(JUMP_LEN as u64), fixed, count })
    }

    /// Those at an address where all of their bytes can be stored.
    pub(crate) fn free(address: u64) -> JumpWindow {
        JumpWindow { end: address.wrapping_add(JUMP_LEN as u64), fixed: [0; JUMP_LEN - 1], count: 0 }
    }

    /// The addresses that they can lead to.
    pub fn targets(&self) -> Range<u64> {
        let Range { start, end } = self.distances();
        self.end.saturating_add_signed(start)..self.end.saturating_add_signed(end)
    }

    /// Whether any address within 2 GiB can be led to.
    pub fn is_free(&self) -> bool {
        self.count == 0
    }

    /// What is stored for the jump to an address: as many bytes as it changes. None for one that none leads
    /// to.
    pub fn jump(&self, target: u64) -> Option<([u8; JUMP_LEN], usize)> {
        let distance = target.wrapping_sub(self.end).cast_signed();
        let distance = i32::try_from(distance).ok().filter(|_| self.distances().contains(&distance))?;
        let [a, b, c, d] = distance.to_le_bytes();
        Some(([0xe9, a, b, c, d], JUMP_LEN - self.count))
    }

    fn distances(&self) -> Range<i64> {
        if self.count == 0 {
            return i64::from(i32::MIN)..i64::from(i32::MAX) + 1;
        }
        let mut lowest = [0; JUMP_LEN - 1];
        let fixed = self.fixed.iter().take(self.count);
        lowest.iter_mut().skip(JUMP_LEN - 1 - self.count).zip(fixed).for_each(|(to, from)| *to = *from);
        let start = i64::from(i32::from_le_bytes(lowest));
        start..start + (1 << (8 * (4 - self.count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_that_stay_say_where_it_leads() {
        let address = 0x5555_0000_1000;
        let window = JumpWindow::new(address, 3, &[0x41, 0x57]).unwrap();
        let start = address + 5 + 0x5741_0000;
        assert_eq!(window.targets(), start..start + 0x10000);
        assert_eq!(window.jump(start + 0x1234), Some(([0xe9, 0x34, 0x12, 0x41, 0x57], 3)));
        assert_eq!(window.jump(start + 0x10000), None);
        // Below, as the last byte says so.
        let window = JumpWindow::new(address, 4, &[0xe8]).unwrap();
        let start = address + 5 - 0x1800_0000;
        assert_eq!(window.targets(), start..start + 0x100_0000);
        let window = JumpWindow::new(address, 7, &[]).unwrap();
        assert!(window.is_free() && window.jump(address).is_some());
        assert_eq!(window.jump(address + (1 << 32)), None);
        // Three bytes that stay leave 256 addresses, and four of them one.
        let window = JumpWindow::new(address, 2, &[0x01, 0x02, 0x03]).unwrap();
        let start = address + 5 + 0x0302_0100;
        assert_eq!(window.targets(), start..start + 0x100);
        let window = JumpWindow::new(address, 1, &[0x48, 0x89, 0xe5, 0xff, 0x90]).unwrap();
        let target = address + 5 - 0x1a_76b8;
        assert_eq!(window.targets(), target..target + 1);
        assert_eq!(window.jump(target), Some(([0xe9, 0x48, 0x89, 0xe5, 0xff], 1)));
        assert_eq!(JumpWindow::new(address, 1, &[0; 3]), None);
        assert_eq!(JumpWindow::new(address, 4, &[]), None);
    }
}
