//! What an event's bytes mean.

use abi::site::{self, kind};
use core::ffi::CStr;
use core::ptr::null;

/// A field of an event: a static description.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct SiteField(site::RawField);

// SAFETY: its pointers are those of `&'static` arguments of `SiteField::new`.
unsafe impl Send for SiteField {}
// SAFETY: nothing changes it, and what its pointers go to is static.
unsafe impl Sync for SiteField {}

/// A value that has a name.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct ValueName(site::RawName);

// SAFETY: its pointer is that of a `&'static` argument of `ValueName::new`.
unsafe impl Send for ValueName {}
// SAFETY: nothing changes it, and what its pointer goes to is static.
unsafe impl Sync for ValueName {}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldType {
    kind: u8,
    size: u8,
    count: u16,
}

impl ValueName {
    /// `value` is printed as `name`.
    pub const fn new(value: i64, name: &'static CStr) -> ValueName {
        ValueName(site::RawName { value, name: name.as_ptr() })
    }
}

impl FieldType {
    /// A truth value.
    pub const BOOL: FieldType = FieldType::number(kind::BOOL, 1);
    /// Text of any length.
    pub const TEXT: FieldType = FieldType::number(kind::TEXT, 1).dynamic();
    /// A number of which values have names.
    pub const SYMBOLIC: FieldType = FieldType::number(kind::SYMBOLIC, 8);
    /// A set of flags with names.
    pub const FLAGS: FieldType = FieldType::number(kind::FLAGS, 8);
    /// A character: its UTF-8 text and a zero byte.
    pub(crate) const CHARACTER: FieldType = FieldType::number(kind::TEXT, 1).array(5);

    const fn number(kind: u8, size: u8) -> FieldType {
        FieldType { kind, size, count: 0 }
    }

    /// An unsigned number of `size` bytes: 1, 2, 4 or 8.
    pub const fn unsigned(size: usize) -> FieldType {
        FieldType::number(kind::UNSIGNED, size as u8)
    }

    /// A signed number of `size` bytes.
    pub const fn signed(size: usize) -> FieldType {
        FieldType::number(kind::SIGNED, size as u8)
    }

    /// This integer, printed in hexadecimal.
    pub const fn hex(self) -> FieldType {
        FieldType { kind: kind::HEX, ..self }
    }

    /// An array of `count` such things.
    pub const fn array(self, count: usize) -> FieldType {
        assert!(self.count == 0, "an array of arrays can't be a field");
        assert!(count > 0 && count <= site::WORDS * 8, "an array must have elements, and fit an event");
        FieldType { count: count as u16, ..self }
    }

    /// An array of a length of its own in each event.
    pub const fn dynamic(self) -> FieldType {
        FieldType { count: site::DYNAMIC, ..self }
    }

    /// Whether its bytes are after the fixed fields.
    pub const fn is_dynamic(self) -> bool {
        self.count == site::DYNAMIC
    }

    /// Where such a field ends, in an event whose fields so far end at `offset`.
    pub const fn end(self, offset: usize) -> usize {
        let (size, count) = match self.count {
            site::DYNAMIC => (4, 1),
            0 => (self.size as usize, 1),
            count => (self.size as usize, count as usize),
        };
        offset.next_multiple_of(size) + size * count
    }
}

impl SiteField {
    /// A field, some of whose values have names.
    pub const fn new(name: &'static CStr, kind: FieldType, names: &'static [ValueName]) -> SiteField {
        let name_count = names.len() as u32;
        let names = if names.is_empty() { null() } else { names.as_ptr().cast() };
        let FieldType { kind, size, count } = kind;
        SiteField(site::RawField { name: name.as_ptr(), names, name_count, count, size, kind })
    }
}
