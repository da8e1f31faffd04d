//! What a function is called that has no name.

/// Bytes of the longest one.
const MOST: usize = 20;

/// The name of a function without one: `sub_` and its address in the file, in hexadecimal digits, which is
/// the same wherever the file is mapped.
///
/// ```
/// use function_sites::AddressName;
///
/// assert_eq!(AddressName::of(0x1a2b0).as_bytes(), b"sub_1a2b0");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AddressName {
    bytes: [u8; MOST],
    len: usize,
}

impl AddressName {
    /// That of the function at an address.
    pub fn of(address: u64) -> AddressName {
        const PREFIX: &[u8] = b"sub_";
        let digits = (16 - address.leading_zeros() / 4).max(1);
        let digit = |place: u32| b"0123456789abcdef".get((address >> (place * 4) & 15) as usize).copied();
        let text = PREFIX.iter().copied().chain((0..digits).rev().filter_map(digit));
        let mut name = AddressName { bytes: [0; MOST], len: PREFIX.len() + digits as usize };
        name.bytes.iter_mut().zip(text).for_each(|(to, from)| *to = from);
        name
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_address_has_a_name() {
        let name = |address: u64| std::format!("{}", AddressName::of(address).as_bytes().escape_ascii());
        assert_eq!([0, 16, u64::MAX].map(name), ["sub_0", "sub_10", "sub_ffffffffffffffff"]);
    }
}
