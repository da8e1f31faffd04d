//! Numbers to text, as `printf` does it.

use super::Dialect;
use super::conversion::{Conversion, ConversionKind};
use super::types::Integer;
use crate::digits::{SPACE, digits, fill};

/// Width and precision of one conversion, their `*` arguments evaluated. A negative width has
/// become the flag `-`, a negative precision none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Column {
    pub(super) left: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
}

/// Appends `value`, of which the conversion's size counts.
///
/// The dialects differ in one thing: with `#`, the kernel puts `0x` before 0 as well.
pub(super) fn print(
    conversion: &Conversion,
    column: Column,
    value: u64,
    dialect: Dialect,
    out: &mut Vec<u8>,
) {
    let signed = conversion.kind == ConversionKind::Signed;
    let value = Integer { size: conversion.size, signed }.wrap(value);
    let negative = signed && (value as i64) < 0;
    let magnitude = if negative { value.wrapping_neg() } else { value };
    let mut buffer = [0; SPACE];
    let digits = match conversion.kind {
        ConversionKind::Hex { upper } => digits::<16>(magnitude, upper, &mut buffer),
        ConversionKind::Octal => digits::<8>(magnitude, false, &mut buffer),
        _ => digits::<10>(magnitude, false, &mut buffer),
    };
    let digits = if column.precision == Some(0) && magnitude == 0 { &[] } else { digits };
    let prefix: &[u8] = match conversion.kind {
        ConversionKind::Signed if negative => b"-",
        ConversionKind::Signed if conversion.plus => b"+",
        ConversionKind::Signed if conversion.blank => b" ",
        ConversionKind::Hex { .. } if !conversion.alternate => b"",
        ConversionKind::Hex { .. } if magnitude == 0 && dialect == Dialect::Report => b"",
        ConversionKind::Hex { upper: true } => b"0X",
        ConversionKind::Hex { upper: false } => b"0x",
        ConversionKind::Octal if conversion.alternate && digits.first() != Some(&b'0') => b"0",
        _ => b"",
    };
    let zeros = column.precision.unwrap_or(0).saturating_sub(digits.len());
    let filler = column.width.saturating_sub(prefix.len() + zeros + digits.len());
    // Zeros fill a column only where neither side nor precision say otherwise.
    let zero_filler = conversion.zero && !column.left && column.precision.is_none();
    if !column.left && !zero_filler {
        fill(b' ', filler, out);
    }
    out.extend_from_slice(prefix);
    fill(b'0', if zero_filler { filler } else { zeros }, out);
    out.extend_from_slice(digits);
    if column.left {
        fill(b' ', filler, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::conversion::{self, Amount};

    fn printed(format: &str, value: i64) -> String {
        let (conversion, rest) = conversion::parse(format).unwrap();
        assert_eq!(rest, "");
        let amount = |amount| match amount {
            Amount::Fixed(number) => Some(number),
            _ => None,
        };
        let column = Column {
            left: conversion.left,
            width: amount(conversion.width).unwrap_or(0),
            precision: amount(conversion.precision),
        };
        let mut out = Vec::new();
        print(&conversion, column, value as u64, Dialect::Report, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_look_as_printf_has_them() {
        let cases = [
            ("d", -5, "-5"),
            ("u", -1, "4294967295"),
            ("lu", -1, "18446744073709551615"),
            ("hhd", 0x1ff, "-1"),
            ("hu", -1, "65535"),
            ("ld", i64::MIN, "-9223372036854775808"),
            ("08x", 0xbeef, "0000beef"),
            ("#x", 0xbeef, "0xbeef"),
            ("#x", 0, "0"),
            ("#010x", 0xbeef, "0x0000beef"),
            ("#o", 8, "010"),
            ("o", 8, "10"),
            ("X", 0xbeef, "BEEF"),
            ("5d", 42, "   42"),
            ("-5d", 42, "42   "),
            ("-05d", 42, "42   "),
            ("05d", -42, "-0042"),
            (".3d", 7, "007"),
            ("6.3d", -7, "  -007"),
            ("06.3d", -7, "  -007"),
            (".0d", 0, ""),
            ("+d", 7, "+7"),
            (" d", 7, " 7"),
            ("llx", -1, "ffffffffffffffff"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(printed(format, value), expected, "%{format} of {value}");
        }
    }
}
