//! Numbers as text, where nothing can be allocated.

/// The digits of a number in a base up to 36, in space for the longest in base 10. Async-signal-safe.
#[inline(always)]
pub fn digits(number: u64, base: u64, into: &mut [u8; 20]) -> &[u8] {
    let mut rest = number;
    let mut count = 0;
    for digit in into.iter_mut().rev() {
        let value = (rest % base) as u8;
        *digit = if value < 10 { b'0' + value } else { b'a' + value - 10 };
        rest /= base;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    into.get(into.len() - count..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_have_their_digits() {
        for (number, expected) in [(0, "0"), (7, "7"), (10, "10"), (65535, "65535")] {
            assert_eq!(digits(number, 10, &mut [0; 20]), expected.as_bytes());
        }
        assert_eq!(digits(0xfa0, 16, &mut [0; 20]), b"fa0");
        assert_eq!(digits(u64::MAX, 10, &mut [0; 20]), b"18446744073709551615");
    }
}
