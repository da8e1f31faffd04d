//! Values that can be fields.

use crate::{Kind, Record};
use core::ffi::CStr;

/// What can be a field of an event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of an event",
    label = "expected a number, bool, char, pointer, text, or an array or slice of numbers",
    note = "enums are fields by `as symbolic {{ VALUE => \"NAME\" }}`, sets of flags by `as flags {{ ... }}`",
    note = "what has no type of its own here can be recorded as text, a number, or several fields"
)]
pub trait Value: Copy {
    /// Its type.
    const KIND: Kind;

    /// Appends what is in the fixed part.
    fn fix(self, record: &mut Record);

    /// Appends what is after it.
    #[inline(always)]
    fn append(self, _record: &mut Record) {}
}

/// A number: what arrays and slices can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number",
    label = "expected an integer type: arrays, slices and `as hex` are for those"
)]
pub trait Number: Value {
    /// Its bytes, and those of the numbers after it.
    fn bytes(numbers: &[Self]) -> &[u8];
}

macro_rules! numbers {
    ($($type:ty: $kind:ident,)*) => {$(
        impl Value for $type {
            const KIND: Kind = Kind::$kind(size_of::<$type>());

            #[inline(always)]
            fn fix(self, record: &mut Record) {
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

impl Value for bool {
    const KIND: Kind = Kind::BOOL;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.push::<1>(u64::from(self));
    }
}

impl Value for char {
    const KIND: Kind = Kind::CHARACTER;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        let mut text = [0; 5];
        self.encode_utf8(&mut text);
        text.into_iter().for_each(|byte| record.push::<1>(u64::from(byte)));
    }
}

impl<T> Value for *const T {
    const KIND: Kind = Kind::unsigned(size_of::<usize>()).hex();

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        self.addr().fix(record);
    }
}

impl<T> Value for *mut T {
    const KIND: Kind = <*const T>::KIND;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        self.addr().fix(record);
    }
}

impl<T: Number, const N: usize> Value for [T; N] {
    const KIND: Kind = T::KIND.array(N);

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        self.into_iter().for_each(|number| number.fix(record));
    }
}

impl<T: Number> Value for &[T] {
    const KIND: Kind = T::KIND.dynamic();

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.place(record.space_for(size_of_val(self), size_of::<T>()));
    }

    #[inline(always)]
    fn append(self, record: &mut Record) {
        let bytes = T::bytes(self);
        let space = record.space_for(bytes.len(), size_of::<T>());
        record.append(bytes.get(..space).unwrap_or_default());
    }
}

/// As much of a text as there is space for, whole characters only.
#[inline(always)]
fn fitting<'a>(record: &Record, text: &'a str) -> &'a str {
    let space = record.space_for(text.len() + 1, 1) - 1;
    if space == text.len() {
        return text;
    }
    let end = (0..=space).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

impl Value for &str {
    const KIND: Kind = Kind::TEXT;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.place(fitting(record, self).len() + 1);
    }

    #[inline(always)]
    fn append(self, record: &mut Record) {
        record.append_text(fitting(record, self).as_bytes());
    }
}

impl Value for &CStr {
    const KIND: Kind = Kind::TEXT;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.place(record.space_for(self.count_bytes() + 1, 1));
    }

    #[inline(always)]
    fn append(self, record: &mut Record) {
        let space = record.space_for(self.count_bytes() + 1, 1) - 1;
        record.append_text(self.to_bytes().get(..space).unwrap_or_default());
    }
}

/// A number that is printed in hexadecimal. Arrays are in any case.
#[derive(Debug, Clone, Copy)]
pub struct Hex<T>(pub T);

impl<T: Number> Value for Hex<T> {
    const KIND: Kind = T::KIND.hex();

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        self.0.fix(record);
    }
}

/// A number of which values have names.
#[derive(Debug, Clone, Copy)]
pub struct Symbolic(pub i64);

impl Value for Symbolic {
    const KIND: Kind = Kind::SYMBOLIC;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.push::<8>(self.0 as u64);
    }
}

/// A set of flags with names.
#[derive(Debug, Clone, Copy)]
pub struct Flags(pub u64);

impl Value for Flags {
    const KIND: Kind = Kind::FLAGS;

    #[inline(always)]
    fn fix(self, record: &mut Record) {
        record.push::<8>(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn words<const N: usize>(kinds: [Kind; N], values: impl Fn(&mut Record)) -> std::vec::Vec<u64> {
        let mut record = Record::new(Layout::of(&kinds));
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
