//! Arguments of a printf format: which values fit which conversion, and the words that they are handed over
//! in.

use abi::site::ARGUMENTS;
use core::ffi::CStr;
use printf_format::{ArgumentRole, Converted, FormatAmount, FormatConversion, FormatPiece, FormatString};

/// Words that are handed over, one after the other: those of an argument, and those after them.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct FormatWords<First, Rest>(First, Rest);

/// What a value is, for the compiler's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentClass {
    /// An integer of up to 32 bits.
    Int,
    /// An integer of 64 bits.
    Long,
    /// An address.
    Pointer,
    /// Text.
    Text,
    /// Bytes: two arguments of the format, how many and where.
    Bytes,
}

/// What is an argument here, and nothing else: the recorder reads what their words lead to.
pub trait Known {}

/// What can be an argument of [`do_trace!`](crate::do_trace).
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an argument of a tracepoint",
    label = "expected an integer, `bool`, `&str`, `&CStr`, `&[u8]` or a raw pointer"
)]
pub trait FormatArgument: Known {
    /// What it is.
    const CLASS: ArgumentClass;

    /// One word, or two.
    type Words;

    /// How many bytes it has, if it is text or bytes; and the value, or where it is.
    fn words(self) -> Self::Words;
}

macro_rules! integers {
    ($($type:ty: $class:ident,)*) => {$(
        impl Known for $type {}

        impl FormatArgument for $type {
            const CLASS: ArgumentClass = ArgumentClass::$class;
            type Words = [u64; 1];

            #[inline(always)]
            fn words(self) -> [u64; 1] {
                [self as u64]
            }
        }
    )*};
}

integers! {
    i8: Int, u8: Int, i16: Int, u16: Int, i32: Int, u32: Int, bool: Int,
    i64: Long, u64: Long, isize: Long, usize: Long,
}

impl<T> Known for *const T {}

impl<T> FormatArgument for *const T {
    const CLASS: ArgumentClass = ArgumentClass::Pointer;
    type Words = [u64; 1];

    #[inline(always)]
    fn words(self) -> [u64; 1] {
        [self.addr() as u64]
    }
}

impl<T> Known for *mut T {}

impl<T> FormatArgument for *mut T {
    const CLASS: ArgumentClass = ArgumentClass::Pointer;
    type Words = [u64; 1];

    #[inline(always)]
    fn words(self) -> [u64; 1] {
        [self.addr() as u64]
    }
}

impl Known for &str {}

impl FormatArgument for &str {
    const CLASS: ArgumentClass = ArgumentClass::Text;
    type Words = [u64; 2];

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self.len() as u64, self.as_ptr().expose_provenance() as u64]
    }
}

impl Known for &CStr {}

impl FormatArgument for &CStr {
    const CLASS: ArgumentClass = ArgumentClass::Text;
    type Words = [u64; 2];

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self.count_bytes() as u64, self.as_ptr().expose_provenance() as u64]
    }
}

impl Known for &[u8] {}

impl FormatArgument for &[u8] {
    const CLASS: ArgumentClass = ArgumentClass::Bytes;
    type Words = [u64; 2];

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        let count = i32::try_from(self.len()).unwrap_or(i32::MAX);
        [count as u64, self.as_ptr().expose_provenance() as u64]
    }
}

/// The arguments of a tracepoint: `(first, (second, ()))`.
pub trait FormatArguments: Known {
    /// How many.
    const COUNT: usize;

    /// What they are; those after the last count for nothing.
    const CLASSES: [ArgumentClass; ARGUMENTS];

    /// Their words, and nothing else.
    type Words;

    /// The words of all of them.
    fn words(self) -> Self::Words;
}

impl Known for () {}

impl FormatArguments for () {
    const COUNT: usize = 0;
    const CLASSES: [ArgumentClass; ARGUMENTS] = [ArgumentClass::Int; ARGUMENTS];
    type Words = [u64; 0];

    #[inline(always)]
    fn words(self) -> [u64; 0] {
        []
    }
}

impl<First, Rest> Known for (First, Rest) {}

impl<First: FormatArgument, Rest: FormatArguments> FormatArguments for (First, Rest) {
    const COUNT: usize = 1 + Rest::COUNT;
    const CLASSES: [ArgumentClass; ARGUMENTS] = {
        assert!(Self::COUNT <= ARGUMENTS, "a tracepoint can have 16 arguments");
        let (mut classes, mut at) = ([First::CLASS; ARGUMENTS], 1);
        while at < Self::COUNT {
            classes[at] = Rest::CLASSES[at - 1];
            at += 1;
        }
        classes
    };

    type Words = FormatWords<First::Words, Rest::Words>;

    #[inline(always)]
    fn words(self) -> Self::Words {
        FormatWords(self.0.words(), self.1.words())
    }
}

/// Checks that events can have a format, and counts its arguments. Made for constants: what is wrong is an
/// error of the compiler's.
pub(crate) const fn check_format(format: &str) -> usize {
    let (mut rest, mut count) = (FormatString::new(format), 0);
    while let Some((piece, after)) = rest.next() {
        rest = after;
        let arguments = match piece {
            FormatPiece::Text(_) => continue,
            FormatPiece::Conversion(conversion) => conversion.arguments(),
            FormatPiece::Unsupported(_) => panic!(
                "the format has a conversion that events don't have: they have %d %i %u %x %X %o %c %s %p, \
                 and %*ph"
            ),
        };
        let mut at = 0;
        while at < arguments.len() {
            count += !matches!(arguments[at], ArgumentRole::Nothing) as usize;
            at += 1;
        }
    }
    assert!(count <= ARGUMENTS, "a tracepoint can have 16 arguments");
    count
}

/// Checks that values of these classes fit a format. Made for constants, as [`check_format`].
pub(crate) const fn check_arguments(format: &str, classes: &[ArgumentClass; ARGUMENTS], count: usize) {
    let (mut rest, mut next) = (FormatString::new(format), 0);
    while let Some((piece, after)) = rest.next() {
        rest = after;
        if let FormatPiece::Conversion(conversion) = piece {
            next = check_conversion(&conversion, classes, count, next);
        }
    }
    assert!(next == count, "the format has fewer conversions than there are arguments");
}

/// Checks the arguments of a conversion from an index on, and gives that of the next conversion's.
const fn check_conversion(
    conversion: &FormatConversion<'_>,
    classes: &[ArgumentClass; ARGUMENTS],
    count: usize,
    mut next: usize,
) -> usize {
    let arguments = conversion.arguments();
    let mut at = 0;
    while at < arguments.len() {
        let expected = match (arguments[at], conversion.kind, conversion.size) {
            (ArgumentRole::Nothing | ArgumentRole::Count, ..) => None,
            (ArgumentRole::Column | ArgumentRole::Length, ..) => Some(ArgumentClass::Int),
            (_, Converted::Text, _) => Some(ArgumentClass::Text),
            (_, Converted::Pointer, _) => Some(ArgumentClass::Pointer),
            (_, Converted::Bytes { .. }, _) => Some(ArgumentClass::Bytes),
            (_, _, 8) => Some(ArgumentClass::Long),
            _ => Some(ArgumentClass::Int),
        };
        if let Some(expected) = expected {
            assert!(next < count, "the format has more conversions than there are arguments");
            check_class(expected, classes[next]);
            next += 1;
        }
        at += 1;
    }
    if matches!(conversion.kind, Converted::Bytes { .. }) {
        assert!(
            matches!(conversion.width, FormatAmount::ArgumentRole),
            "a dump is %*ph: its slice says how long it is"
        );
    }
    next
}

const fn check_class(expected: ArgumentClass, found: ArgumentClass) {
    match (expected, found) {
        (ArgumentClass::Int, ArgumentClass::Int)
        | (ArgumentClass::Long, ArgumentClass::Long)
        | (ArgumentClass::Pointer, ArgumentClass::Pointer)
        | (ArgumentClass::Text, ArgumentClass::Text)
        | (ArgumentClass::Bytes, ArgumentClass::Bytes) => {}
        (ArgumentClass::Int, ArgumentClass::Long) => panic!("the format is short of an `l`: as in %ld"),
        (ArgumentClass::Int, _) => panic!("the format has an integer of up to 32 bits where there is none"),
        (ArgumentClass::Long, _) => panic!("the format has an integer of 64 bits where there is none"),
        (ArgumentClass::Pointer, _) => panic!("the format has %p where there is no raw pointer"),
        (ArgumentClass::Text, _) => panic!("the format has %s where there is no text"),
        (ArgumentClass::Bytes, _) => panic!("the format has %*ph where there is no slice of bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn fits<A: FormatArguments>(format: &str, _: A) -> bool {
        std::panic::catch_unwind(|| check_arguments(format, &A::CLASSES, A::COUNT)).is_ok()
    }

    #[test]
    fn values_fit_their_conversions_and_no_others() {
        assert!(fits("%d%hhx%c%*d", (1i32, (2u8, (b'x', (5i32, (true, ())))))));
        assert!(fits("%ld%zu%s%.*s%p", (1i64, (2usize, ("a", (3, (c"b", (core::ptr::null::<u8>(), ()))))))));
        assert!(fits("%*ph", ([1u8].as_slice(), ())));
        assert!(fits("100%%", ()));
        assert!(!fits("%d", (1i64, ())) && !fits("%ld", (1i32, ())) && !fits("%s", (1i32, ())));
        assert!(!fits("%d", ()) && !fits("", (1i32, ())) && !fits("%p", (1u64, ())));
        assert!(!fits("%4ph", ([1u8].as_slice(), ())));
    }

    #[test]
    fn arguments_are_counted_as_c_has_them() {
        assert_eq!(check_format("%d of %*.*d %% %*ph"), 6);
        for bad in ["%f", "%n", "50%", &"%d".repeat(17)] {
            assert!(std::panic::catch_unwind(|| check_format(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_are_lengths_and_values() {
        let text = String::from("abc");
        let words = (-1i32, (text.as_str(), (b"xy".as_slice(), (u64::MAX, ())))).words();
        // SAFETY: six words lie there.
        let words = unsafe { (&raw const words).cast::<[u64; 6]>().read() };
        assert_eq!(words[..2], [u64::MAX, 3]);
        assert_eq!((words[2], words[3], words[5]), (text.as_ptr().addr() as u64, 2, u64::MAX));
    }
}
