//! Lists of CPUs: `0,2-3`, `all`.

use crate::word::MAX_CPUS;
use alloc::vec::Vec;

/// The ranges of a list, sorted and apart from each other. None for what is no list.
pub(crate) fn parse(text: &str) -> Option<Vec<(u32, u32)>> {
    let parts = text.split(|letter: char| letter == ',' || letter.is_ascii_whitespace());
    let mut ranges: Vec<(u32, u32)> =
        parts.filter(|part| !part.is_empty()).map(range).collect::<Option<_>>()?;
    ranges.sort_unstable();
    let mut apart: Vec<(u32, u32)> = Vec::new();
    for (first, last) in ranges {
        match apart.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ => apart.push((first, last)),
        }
    }
    Some(apart)
}

fn range(part: &str) -> Option<(u32, u32)> {
    if part.eq_ignore_ascii_case("all") {
        return Some((0, MAX_CPUS - 1));
    }
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(first) || !is_digits(last) {
        return None;
    }
    let range = (first.parse().ok()?, last.parse().ok()?);
    (range.0 <= range.1 && range.1 < MAX_CPUS).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted_and_joined() {
        assert_eq!(parse("5,0-1,2,7-9,8"), Some(alloc::vec![(0, 2), (5, 5), (7, 9)]));
        assert_eq!(parse("all"), Some(alloc::vec![(0, 8191)]));
        for bad in ["a", "1-", "3-1", "8192", "-1", "+1"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
