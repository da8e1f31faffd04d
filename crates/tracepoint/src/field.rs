//! What an event's bytes mean.

use abi::site::{self, kind};
use core::ffi::CStr;
use core::ptr::null;

/// A field of an event: a static description.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Field(site::Field);

// SAFETY: its pointers are those of `&'static` arguments of `Field::new`.
unsafe impl Send for Field {}
// SAFETY: nothing changes it, and what its pointers go to is static.
unsafe impl Sync for Field {}

/// A value that has a name.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Name(site::Name);

// SAFETY: its pointer is that of a `&'static` argument of `Name::new`.
unsafe impl Send for Name {}
// SAFETY: nothing changes it, and what its pointer goes to is static.
unsafe impl Sync for Name {}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    kind: u8,
    size: u8,
    count: u16,
}

impl Name {
    /// `value` is printed as `name`.
    pub const fn new(value: i64, name: &'static CStr) -> Name {
        Name(site::Name { value, name: name.as_ptr() })
    }
}

impl Kind {
    /// A truth value.
    pub const BOOL: Kind = Kind::number(kind::BOOL, 1);
    /// Text of any length.
    pub const TEXT: Kind = Kind::number(kind::TEXT, 1).dynamic();
    /// A number of which values have names.
    pub const SYMBOLIC: Kind = Kind::number(kind::SYMBOLIC, 8);
    /// A set of flags with names.
    pub const FLAGS: Kind = Kind::number(kind::FLAGS, 8);
    /// A character: its UTF-8 text and a zero byte.
    pub(crate) const CHARACTER: Kind = Kind::number(kind::TEXT, 1).array(5);

    const fn number(kind: u8, size: u8) -> Kind {
        Kind { kind, size, count: 0 }
    }

    /// An unsigned number of `size` bytes: 1, 2, 4 or 8.
    pub const fn unsigned(size: usize) -> Kind {
        Kind::number(kind::UNSIGNED, size as u8)
    }

    /// A signed number of `size` bytes.
    pub const fn signed(size: usize) -> Kind {
        Kind::number(kind::SIGNED, size as u8)
    }

    /// This integer, printed in hexadecimal.
    pub const fn hex(self) -> Kind {
        Kind { kind: kind::HEX, ..self }
    }

    /// An array of `count` such things.
    pub const fn array(self, count: usize) -> Kind {
        assert!(self.count == 0, "an array of arrays can't be a field");
        assert!(count > 0 && count <= site::WORDS * 8, "an array must have elements, and fit an event");
        Kind { count: count as u16, ..self }
    }

    /// An array of a length of its own in each event.
    pub const fn dynamic(self) -> Kind {
        Kind { count: site::DYNAMIC, ..self }
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

impl Field {
    /// A field, some of whose values have names.
    pub const fn new(name: &'static CStr, kind: Kind, names: &'static [Name]) -> Field {
        let name_count = names.len() as u32;
        let names = if names.is_empty() { null() } else { names.as_ptr().cast() };
        let Kind { kind, size, count } = kind;
        Field(site::Field { name: name.as_ptr(), names, name_count, count, size, kind })
    }
}
