//! Lists of numbers.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Numbers and ranges of numbers, like `0,2-3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List(Vec<RangeInclusive<u32>>);

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<List, String> {
        let expected = || format!("expected numbers and ranges like 0,2-3, found {text:?}");
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| expected());
        let range = |part: &str| match part.split_once('-') {
            Some((first, last)) => Ok(number(first)?..=number(last)?),
            None => number(part).map(|number| number..=number),
        };
        let ranges: Vec<_> = text.split(',').map(range).collect::<Result<_, _>>()?;
        if ranges.iter().any(RangeInclusive::is_empty) { Err(expected()) } else { Ok(List(ranges)) }
    }
}

impl List {
    /// Of one number.
    pub(crate) fn of(number: u32) -> List {
        List(vec![number..=number])
    }

    /// Whether a number is in it.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_numbers_and_ranges() {
        let odd: List = "1,3-5".parse().unwrap();
        assert_eq!(
            [0, 1, 2, 3, 5, 6].map(|number| odd.contains(number)),
            [false, true, false, true, true, false]
        );
        for bad in ["", "a", "1,", "5-3", "-1", "1-"] {
            assert!(bad.parse::<List>().is_err(), "{bad:?}");
        }
    }
}
