//! ByteReader that are read from the front.

/// What was not read yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteReader<'a>(pub(crate) &'a [u8]);

impl<'a> ByteReader<'a> {
    /// The next bytes.
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    /// An unsigned number of any length, as DWARF has them.
    pub(crate) fn uleb(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number of any length.
    pub(crate) fn sleb(&mut self) -> Option<i64> {
        let before = self.0.len();
        let value = self.uleb()?;
        let bits = 7 * (before - self.0.len()) as u32;
        let unused = 64_u32.saturating_sub(bits);
        Some((value << unused).cast_signed() >> unused)
    }

    /// Leaves bytes out. What comes after them.
    pub(crate) fn skip(&mut self, len: usize) -> Option<ByteReader<'a>> {
        self.0 = self.0.get(len..)?;
        Some(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length() {
        let mut bytes = ByteReader(&[0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f, 0x02, 0x80]);
        assert_eq!(bytes.uleb(), Some(624_485));
        assert_eq!(bytes.sleb(), Some(-1));
        assert_eq!(bytes.sleb(), Some(-128));
        assert_eq!(bytes.sleb(), Some(2));
        assert_eq!(bytes.uleb(), None, "it has no end");
        assert_eq!(ByteReader(&[0x80; 20]).uleb(), None, "it is too long");
    }
}
