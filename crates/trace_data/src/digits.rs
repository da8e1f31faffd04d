//! Numbers to digits, without the machinery of `core::fmt`.

/// Bytes that the digits of any number fit into, in bases from 8 up.
pub(crate) const SPACE: usize = 22;

/// The decimal digits of all numbers below 100, two of each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// The digits of `value` in `BASE`, written to the end of `buffer`.
pub(crate) fn digits<const BASE: u64>(mut value: u64, upper: bool, buffer: &mut [u8; SPACE]) -> &[u8] {
    let letters = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let mut start = buffer.len();
    // Most numbers are decimal, and most of a line's time goes into their divisions: half as many are enough.
    while BASE == 10 && value >= 100 {
        start -= 2;
        buffer[start..start + 2].copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
    }
    loop {
        start -= 1;
        buffer[start] = letters[(value % BASE) as usize];
        value /= BASE;
        if value == 0 {
            return &buffer[start..];
        }
    }
}

/// Appends `value` in decimal, right-justified in `width` columns filled with `filler`.
pub(crate) fn decimal(value: u64, width: usize, filler: u8, out: &mut Vec<u8>) {
    put(digits::<10>(value, false, &mut [0; SPACE]), width, filler, out);
}

/// Appends a number in decimal to a text.
pub fn push_decimal(value: i64, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    push_unsigned(value.unsigned_abs(), out);
}

/// Appends a number that is never below 0 in decimal to a text.
pub fn push_unsigned(value: u64, out: &mut String) {
    push(digits::<10>(value, false, &mut [0; SPACE]), out);
}

/// Appends a number in hexadecimal, with `0x` before it, to a text.
pub fn push_hex(value: u64, out: &mut String) {
    out.push_str("0x");
    push(digits::<16>(value, false, &mut [0; SPACE]), out);
}

fn push(digits: &[u8], out: &mut String) {
    // They are ASCII.
    out.push_str(std::str::from_utf8(digits).unwrap_or_default());
}

/// Appends `value` in hexadecimal, filled with zeros to `width` digits.
pub(crate) fn hex(value: u64, width: usize, out: &mut Vec<u8>) {
    put(digits::<16>(value, false, &mut [0; SPACE]), width, b'0', out);
}

fn put(digits: &[u8], width: usize, filler: u8, out: &mut Vec<u8>) {
    fill(filler, width.saturating_sub(digits.len()), out);
    out.extend_from_slice(digits);
}

/// Appends `byte` as often as told.
pub(crate) fn fill(byte: u8, times: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + times, byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_fits() {
        let mut buffer = [0; SPACE];
        assert_eq!(digits::<8>(u64::MAX, false, &mut buffer), b"1777777777777777777777");
        assert_eq!(digits::<16>(0xbeef, true, &mut buffer), b"BEEF");
        for number in [0, 9, 10, 99, 100, 101, 1000, 12_345, 9_999_999, u64::MAX - 1, u64::MAX] {
            assert_eq!(digits::<10>(number, true, &mut buffer), number.to_string().as_bytes());
        }
    }

    #[test]
    fn texts_are_those_of_fmt() {
        for number in [0, 9, 10, -1, -10, 4711, i64::MIN, i64::MAX] {
            let mut text = String::new();
            push_decimal(number, &mut text);
            text.push(' ');
            push_unsigned(number as u64, &mut text);
            text.push(' ');
            push_hex(number as u64, &mut text);
            assert_eq!(text, format!("{number} {} {:#x}", number as u64, number as u64));
        }
    }

    #[test]
    fn columns_are_filled_from_the_left() {
        let mut out = Vec::new();
        decimal(42, 5, b' ', &mut out);
        decimal(7, 3, b'0', &mut out);
        hex(0xabc, 2, &mut out);
        hex(0xc, 2, &mut out);
        assert_eq!(out, b"   42007abc0c");
    }
}
