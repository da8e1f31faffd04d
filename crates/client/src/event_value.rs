//! The value of a field.

use trace_data::format::Field;

/// The value of a field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventValue<'a> {
    /// A number of a signed type.
    Signed(i64),
    /// A number of an unsigned type, or a pointer.
    Unsigned(u64),
    /// A text, up to its zero byte. In whatever encoding the program has used.
    Text(&'a [u8]),
    /// Elements of an array of numbers, each of so many bytes.
    Elements {
        /// The elements, one after the other.
        bytes: &'a [u8],
        /// Bytes of each.
        size: usize,
        /// Whether they are signed.
        signed: bool,
    },
}

impl<'a> EventValue<'a> {
    /// The value of a field in a payload. None where the payload is too short for it, or it is of a type that
    /// nobody can read.
    pub(crate) fn of(field: &Field, payload: &'a [u8]) -> Option<EventValue<'a>> {
        let Some(element) = field.element_type() else {
            let number = field.integer(payload)?;
            let is_signed = field.signed && !field.is_pointer();
            return Some(if is_signed {
                EventValue::Signed(number)
            } else {
                EventValue::Unsigned(number as u64)
            });
        };
        let bytes = field.bytes(payload)?;
        if element.text {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            return Some(EventValue::Text(&bytes[..end]));
        }
        Some(EventValue::Elements { bytes, size: element.size, signed: field.signed })
    }
}
