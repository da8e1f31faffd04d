//! The types of values.

use crate::bad_probe::ProbeError;
use crate::integer::{leading, unsigned};
use probe::StoredForm;

/// The most elements of an array: the kernel's `MAX_ARRAY_LEN`.
const MOST: u64 = 64;

/// The name of a type, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeName {
    /// As definitions have it.
    pub name: &'static str,
    /// The type of the event's field.
    pub field: &'static str,
    /// How values are printed.
    pub print: &'static str,
    /// Bytes of a value in a record.
    pub bytes: u8,
    /// Whether the field is signed.
    pub is_signed: bool,
}

const fn integer(name: &'static str, field: &'static str, print: &'static str, bytes: u8) -> TypeName {
    let is_signed = matches!(name.as_bytes(), [b's', ..]);
    TypeName { name, field, print, bytes, is_signed }
}

const TEXT: &str = "__data_loc char[]";

/// All of them, the default one first.
const TYPES: [TypeName; 15] = [
    integer("x64", "u64", "0x%Lx", 8),
    integer("x32", "u32", "0x%x", 4),
    integer("x16", "u16", "0x%x", 2),
    integer("x8", "u8", "0x%x", 1),
    integer("u64", "u64", "%Lu", 8),
    integer("u32", "u32", "%u", 4),
    integer("u16", "u16", "%u", 2),
    integer("u8", "u8", "%u", 1),
    integer("s64", "s64", "%Ld", 8),
    integer("s32", "s32", "%d", 4),
    integer("s16", "s16", "%d", 2),
    integer("s8", "s8", "%d", 1),
    integer("char", "u8", "'%c'", 1),
    TypeName { name: "string", field: TEXT, print: "\\\"%s\\\"", bytes: 4, is_signed: true },
    TypeName { name: "ustring", field: TEXT, print: "\\\"%s\\\"", bytes: 4, is_signed: true },
];

/// A type with all that can stand with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueType {
    /// Its name; of a bit field that of the integer that it is in.
    pub name: TypeName,
    /// How a value is stored.
    pub stored: StoredForm,
    /// The elements of an array.
    pub count: Option<u8>,
}

/// A type's text before it is known what it is of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypeText<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) count: Option<u8>,
    /// At which byte of the argument it begins, 0 where there is none.
    pub(crate) at: usize,
}

impl<'a> TypeText<'a> {
    /// What stands before the type in an argument, and the type; or what is wrong, and where.
    pub(crate) fn split(argument: &'a str) -> Result<(&'a str, TypeText<'a>), (ProbeError, usize)> {
        let Some((fetch, text)) = argument.split_once(':') else {
            return Ok((argument, TypeText { name: None, count: None, at: 0 }));
        };
        let at = fetch.len() + 1;
        let Some((name, rest)) = text.split_once('[') else {
            return Ok((fetch, TypeText { name: Some(text), count: None, at }));
        };
        let start = at + name.len() + 1;
        let (digits, suffix) = rest.split_once(']').ok_or((ProbeError::ArrayOpen, argument.len()))?;
        if !suffix.is_empty() {
            return Err((ProbeError::ArraySuffix, start + digits.len() + 1));
        }
        match unsigned(digits, 0).filter(|count| *count > 0) {
            None => Err((ProbeError::BadArrayCount, start)),
            Some(count) if count > MOST => Err((ProbeError::ArrayTooBig, start)),
            Some(count) => Ok((fetch, TypeText { name: Some(name), count: Some(count as u8), at })),
        }
    }

    /// The type of a string that can't have another.
    pub(crate) fn of_text(self) -> Result<ValueType, (ProbeError, usize)> {
        let is_string = self.count.is_none() && self.name.is_none_or(|name| name == "string");
        let name = named("string").filter(|_| is_string).ok_or((ProbeError::StringOnly, self.at))?;
        Ok(ValueType { name, stored: StoredForm::Text, count: None })
    }

    /// The type that it is, but for the bits of a bit field.
    pub(crate) fn find(self) -> Result<ValueType, (ProbeError, usize)> {
        let found = match self.name {
            None => TYPES.first().copied(),
            Some(name) if name.starts_with('b') => of_bits(name),
            Some(name) => named(name),
        };
        let name = found.ok_or((ProbeError::BadType, self.at))?;
        let stored = match name.field {
            TEXT => StoredForm::Text,
            _ => StoredForm::Integer { bytes: name.bytes },
        };
        Ok(ValueType { name, stored, count: self.count })
    }

    /// How it is stored: of a bit field, which bits.
    pub(crate) fn stored(self, found: ValueType) -> Result<StoredForm, (ProbeError, usize)> {
        let bits = self.name.and_then(|name| name.strip_prefix('b'));
        bits.map_or(Ok(found.stored), |text| {
            bit_field(text, found.name.bytes).ok_or((ProbeError::BadBitField, self.at))
        })
    }
}

impl ValueType {
    /// Whether it is a string.
    pub fn is_text(&self) -> bool {
        self.stored == StoredForm::Text
    }
}

fn named(name: &str) -> Option<TypeName> {
    TYPES.into_iter().find(|known| known.name == name)
}

/// The integer that the bits of `bWIDTH@OFFSET/SIZE` are in.
fn of_bits(text: &str) -> Option<TypeName> {
    let (_, size) = text.split_once('/')?;
    match unsigned(size, 0)? {
        8 => named("u8"),
        16 => named("u16"),
        32 => named("u32"),
        64 => named("u64"),
        _ => None,
    }
}

/// `WIDTH@OFFSET/SIZE`.
fn bit_field(text: &str, bytes: u8) -> Option<StoredForm> {
    let size = u64::from(bytes) * 8;
    let (width, rest) = leading(text);
    let rest = rest.strip_prefix('@').filter(|_| width > 0)?;
    let (offset, after) = leading(rest);
    let is_whole = after.len() < rest.len() && after.starts_with('/');
    let end = width.checked_add(offset).filter(|end| is_whole && *end <= size)?;
    Some(StoredForm::BitField { bytes, left: (size - end) as u8, right: (size - width) as u8 })
}
