//! A field of an event, and its value in a payload.

use crate::bytes::{u16_at, u32_at, u64_at, until_nul};
use std::borrow::Cow;

/// A field of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type as C writes it, brackets included: `unsigned long`, `char[16]`,
    /// `__data_loc char[]`.
    pub type_name: String,
    /// Bytes from the payload's start to the field.
    pub offset: usize,
    /// Bytes of the field. 0 for an array that takes the rest of the payload.
    pub size: usize,
    /// Whether an integer is signed.
    pub signed: bool,
    /// What is stored there.
    pub kind: Kind,
}

/// What a field stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One number (or pointer, or a struct that nobody can read) of the field's size.
    Integer,
    /// Elements, one after another, in the field itself.
    Array(Element),
    /// `__data_loc`: a word whose low 16 bits are the offset of the elements from the payload's
    /// start, and whose high 16 bits are their length in bytes.
    DataLocation(Element),
    /// `__rel_loc`: the same, the offset counting from the end of the field.
    RelativeLocation(Element),
}

/// An element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Bytes of it. 0 when the type doesn't tell.
    pub size: usize,
    /// Whether it is a character (or a byte, which nobody can tell from one).
    pub text: bool,
}

impl Field {
    /// The field as a number: sign-extended when the field is signed, zero-extended otherwise.
    ///
    /// An unsigned field of 8 bytes comes as the same bits: `as u64` gives its value. `None` for
    /// sizes other than 1, 2, 4 and 8, for arrays, and when the payload is too short.
    pub fn integer(&self, payload: &[u8]) -> Option<i64> {
        if self.kind != Kind::Integer {
            return None;
        }
        self.raw(payload, self.signed).map(|bits| bits as i64)
    }

    /// The number at the field's place, whatever its kind, extended to 64 bits.
    pub(crate) fn raw(&self, payload: &[u8], signed: bool) -> Option<u64> {
        load(payload, self.offset, self.size, signed)
    }

    /// The bytes of the field: of an array its elements, wherever they are stored.
    ///
    /// `None` when they lie outside the payload.
    pub fn bytes<'a>(&self, payload: &'a [u8]) -> Option<&'a [u8]> {
        match self.kind {
            Kind::Array(_) if self.size == 0 => payload.get(self.offset..),
            Kind::Integer | Kind::Array(_) => payload.get(self.offset..self.offset.checked_add(self.size)?),
            Kind::DataLocation(_) => self.located(payload, 0),
            Kind::RelativeLocation(_) => self.located(payload, self.offset + self.size),
        }
    }

    /// The text of an array of characters, up to its NUL. `None` where [`Field::bytes`] has none.
    pub fn string<'a>(&self, payload: &'a [u8]) -> Option<Cow<'a, str>> {
        Some(String::from_utf8_lossy(until_nul(self.bytes(payload)?)))
    }

    /// The bytes that element `index` of a field of several `__data_loc` words points to: of any other field
    /// element 0 is [`Field::bytes`].
    pub(crate) fn located_element<'a>(&self, payload: &'a [u8], index: usize) -> Option<&'a [u8]> {
        if index == 0 {
            return self.bytes(payload);
        }
        let at = index.checked_mul(4).filter(|at| *at < self.size)?;
        let word = u32_at(payload, self.offset.checked_add(at)?)?;
        let (start, len) = ((word & 0xffff) as usize, (word >> 16) as usize);
        payload.get(start..start.checked_add(len)?)
    }

    /// Element `index` of an array of numbers, as [`Field::integer`] would return it.
    pub fn element(&self, payload: &[u8], index: usize) -> Option<i64> {
        let size = self.element_type()?.size;
        let bits = load(self.bytes(payload)?, index.checked_mul(size)?, size, self.signed);
        bits.map(|bits| bits as i64)
    }

    /// The element type of an array.
    pub fn element_type(&self) -> Option<Element> {
        match self.kind {
            Kind::Integer => None,
            Kind::Array(element) | Kind::DataLocation(element) | Kind::RelativeLocation(element) => {
                Some(element)
            }
        }
    }

    /// Whether the type is a pointer.
    pub fn is_pointer(&self) -> bool {
        self.type_name.contains('*')
    }

    /// What the location word at the field points to, its offset counting from `base`.
    ///
    /// The oldest formats have two-byte words, without a length: then the rest of the payload.
    fn located<'a>(&self, payload: &'a [u8], base: usize) -> Option<&'a [u8]> {
        if self.size == 2 {
            let offset = usize::from(u16_at(payload, self.offset)?);
            return payload.get(base.checked_add(offset)?..);
        }
        let word = u32_at(payload, self.offset)?;
        let start = base.checked_add((word & 0xffff) as usize)?;
        payload.get(start..start.checked_add((word >> 16) as usize)?)
    }
}

/// The number of `size` bytes at `offset`, extended to 64 bits.
fn load(bytes: &[u8], offset: usize, size: usize, signed: bool) -> Option<u64> {
    let value = match size {
        1 => u64::from(*bytes.get(offset)?),
        2 => u64::from(u16_at(bytes, offset)?),
        4 => u64::from(u32_at(bytes, offset)?),
        8 => u64_at(bytes, offset)?,
        _ => return None,
    };
    let unused = 64 - 8 * size as u32;
    Some(if signed { ((value << unused) as i64 >> unused) as u64 } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(offset: usize, size: usize, signed: bool, kind: Kind) -> Field {
        Field { name: String::new(), type_name: String::new(), offset, size, signed, kind }
    }

    const TEXT: Element = Element { size: 1, text: true };

    #[test]
    fn integers_are_extended_by_their_sign() {
        let payload = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        for size in [1, 2, 4, 8] {
            assert_eq!(field(0, size, true, Kind::Integer).integer(&payload), Some(-2));
            let bits = field(0, size, false, Kind::Integer).integer(&payload).unwrap() as u64;
            assert_eq!(bits, u64::MAX >> (64 - 8 * size) & !1);
        }
        assert_eq!(field(0, 3, true, Kind::Integer).integer(&payload), None);
        assert_eq!(field(1, 8, true, Kind::Integer).integer(&payload), None);
    }

    #[test]
    fn locations_count_from_where_their_kind_says() {
        let mut payload = vec![0; 8];
        payload.extend(((4_u32 << 16) | 12).to_le_bytes());
        payload.extend(b"abc\0");
        let absolute = field(8, 4, false, Kind::DataLocation(TEXT));
        assert_eq!(absolute.string(&payload).as_deref(), Some("abc"));
        payload[8] = 0;
        let relative = field(8, 4, false, Kind::RelativeLocation(TEXT));
        assert_eq!(relative.string(&payload).as_deref(), Some("abc"));
        payload[10] = 5;
        assert_eq!(relative.bytes(&payload), None);
    }

    #[test]
    fn an_array_without_size_takes_the_rest() {
        let rest = field(2, 0, false, Kind::Array(TEXT));
        assert_eq!(rest.bytes(b"xxhello").unwrap(), b"hello");
        assert_eq!(rest.bytes(b"x"), None);
    }
}
