//! Values that can be fields.

use crate::{EventBuilder, FieldType};
use core::ffi::CStr;

/// What can be a field of an event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of an event",
    label = "expected a number, bool, char, pointer, text, or an array or slice of numbers",
    note = "enums are fields by `as symbolic {{ VALUE => \"NAME\" }}`, sets of flags by `as flags {{ ... }}`",
    note = "what has no type of its own here can be recorded as text, a number, or several fields"
)]
pub trait Recordable: Copy {
    /// Its type.
    const KIND: FieldType;

    /// Appends what is in the fixed part.
    fn fix(self, record: &mut EventBuilder);

    /// Appends what is after it.
    #[inline(always)]
    fn append(self, _record: &mut EventBuilder) {}
}

/// A number: what arrays and slices can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number",
    label = "expected an integer type: arrays, slices and `as hex` are for those"
)]
pub trait Number: Recordable {
    /// Its bytes, and those of the numbers after it.
    fn bytes(numbers: &[Self]) -> &[u8];
}

macro_rules! numbers {
    ($($type:ty: $kind:ident,)*) => {$(
        impl Recordable for $type {
            const KIND: FieldType = FieldType::$kind(size_of::<$type>());

            #[inline(always)]
            fn fix(self, record: &mut EventBuilder) {
                record.push::<{ size_of::<$type>() }>(self as u64);
            }
        }

        impl Number for $type {
            #[inline(always)]
            fn bytes(numbers: &[Self]) -> &[u8] {
                // SAFETY: numbers have no padding, and bytes have no alignment.
                unsafe { core::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
            }
        }
    )*};
}

numbers! {
    u8: unsigned, u16: unsigned, u32: unsigned, u64: unsigned, usize: unsigned,
    i8: signed, i16: signed, i32: signed, i64: signed, isize: signed,
}

impl Recordable for bool {
    const KIND: FieldType = FieldType::BOOL;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.push::<1>(u64::from(self));
    }
}

impl Recordable for char {
    const KIND: FieldType = FieldType::CHARACTER;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        let mut text = [0; 5];
        self.encode_utf8(&mut text);
        text.into_iter().for_each(|byte| record.push::<1>(u64::from(byte)));
    }
}

impl<T> Recordable for *const T {
    const KIND: FieldType = FieldType::unsigned(size_of::<usize>()).hex();

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        self.addr().fix(record);
    }
}

impl<T> Recordable for *mut T {
    const KIND: FieldType = <*const T>::KIND;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        self.addr().fix(record);
    }
}

impl<T: Number, const N: usize> Recordable for [T; N] {
    const KIND: FieldType = T::KIND.array(N);

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        self.into_iter().for_each(|number| number.fix(record));
    }
}

impl<T: Number> Recordable for &[T] {
    const KIND: FieldType = T::KIND.dynamic();

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.place(record.space_for(size_of_val(self), size_of::<T>()));
    }

    #[inline(always)]
    fn append(self, record: &mut EventBuilder) {
        let bytes = T::bytes(self);
        let space = record.space_for(bytes.len(), size_of::<T>());
        record.append(bytes.get(..space).unwrap_or_default());
    }
}

/// As much of a text as there is space for, whole characters only.
#[inline(always)]
fn fitting<'a>(record: &EventBuilder, text: &'a str) -> &'a str {
    let space = record.space_for(text.len() + 1, 1) - 1;
    if space == text.len() {
        return text;
    }
    let end = (0..=space).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

impl Recordable for &str {
    const KIND: FieldType = FieldType::TEXT;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.place(fitting(record, self).len() + 1);
    }

    #[inline(always)]
    fn append(self, record: &mut EventBuilder) {
        record.append_text(fitting(record, self).as_bytes());
    }
}

impl Recordable for &CStr {
    const KIND: FieldType = FieldType::TEXT;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.place(record.space_for(self.count_bytes() + 1, 1));
    }

    #[inline(always)]
    fn append(self, record: &mut EventBuilder) {
        let space = record.space_for(self.count_bytes() + 1, 1) - 1;
        record.append_text(self.to_bytes().get(..space).unwrap_or_default());
    }
}

/// A number that is printed in hexadecimal. Arrays are in any case.
#[derive(Debug, Clone, Copy)]
pub struct Hex<T>(pub T);

impl<T: Number> Recordable for Hex<T> {
    const KIND: FieldType = T::KIND.hex();

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        self.0.fix(record);
    }
}

/// A number of which values have names.
#[derive(Debug, Clone, Copy)]
pub struct Symbolic(pub i64);

impl Recordable for Symbolic {
    const KIND: FieldType = FieldType::SYMBOLIC;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.push::<8>(self.0 as u64);
    }
}

/// A set of flags with names.
#[derive(Debug, Clone, Copy)]
pub struct Flags(pub u64);

impl Recordable for Flags {
    const KIND: FieldType = FieldType::FLAGS;

    #[inline(always)]
    fn fix(self, record: &mut EventBuilder) {
        record.push::<8>(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordLayout;

    fn words<const N: usize>(
        kinds: [FieldType; N],
        values: impl Fn(&mut EventBuilder),
    ) -> std::vec::Vec<u64> {
        let mut record = EventBuilder::new(RecordLayout::of(&kinds));
        values(&mut record);
        record.words()
    }

    #[test]
    fn fields_lie_as_in_a_c_struct() {
        let found = words([u8::KIND, u32::KIND, i16::KIND, u64::KIND, bool::KIND], |record| {
            0x11u8.fix(record);
            0x2222_2222u32.fix(record);
            (-2i16).fix(record);
            5u64.fix(record);
            true.fix(record);
        });
        assert_eq!(found, [0x2222_2222_0000_0011, 0xfffe, 5, 1]);
    }

    #[test]
    fn texts_and_slices_follow_with_their_lengths() {
        let found = words([<&str>::KIND, <&[u16]>::KIND], |record| {
            "eight123".fix(record);
            [1u16, 2, 3].as_slice().fix(record);
            "eight123".append(record);
            [1u16, 2, 3].as_slice().append(record);
        });
        let text = u64::from_le_bytes(*b"eight123");
        assert_eq!(found, [9 << 16 | 16 | (6 << 16 | 32) << 32, text, 0, 0x3_0002_0001]);
    }

    #[test]
    fn what_does_not_fit_is_cut_off() {
        let long = "x".repeat(1000);
        let found = words([<&str>::KIND, <&str>::KIND], |record| {
            long.as_str().fix(record);
            "end".fix(record);
            long.as_str().append(record);
            "end".append(record);
        });
        assert_eq!(found[0], 120 << 16 | 16 | (4 << 16 | 136) << 32);
        assert_eq!(found[15], u64::from_le_bytes(*b"xxxxxxx\0"));
        assert_eq!(found[16..], [u64::from_le_bytes(*b"end\0\0\0\0\0")]);
        let long = "\u{1f600}".repeat(100);
        let found = words([<&str>::KIND], |record| {
            long.as_str().fix(record);
            long.as_str().append(record);
        });
        assert_eq!(found[0] >> 16, 237, "59 characters of 4 bytes, and a zero byte");
    }

    #[test]
    fn a_character_is_its_text() {
        let found = words([char::KIND], |record| '\u{e9}'.fix(record));
        assert_eq!(found, [u64::from_le_bytes([0xc3, 0xa9, 0, 0, 0, 0, 0, 0])]);
    }
}
