//! Lists of ids.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Ids and ranges of ids, of CPUs or threads: `0,2-3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdList(Vec<RangeInclusive<u32>>);

impl FromStr for IdList {
    type Err = String;

    fn from_str(text: &str) -> Result<IdList, String> {
        let expected = || format!("expected numbers and ranges like 0,2-3, found {text:?}");
        let id = |text: &str| text.trim().parse::<u32>().map_err(|_| expected());
        let range = |part: &str| match part.split_once('-') {
            Some((first, last)) => Ok(id(first)?..=id(last)?),
            None => id(part).map(|id| id..=id),
        };
        let ranges: Vec<_> = text.split(',').map(range).collect::<Result<_, _>>()?;
        if ranges.iter().any(RangeInclusive::is_empty) { Err(expected()) } else { Ok(IdList(ranges)) }
    }
}

impl fmt::Display for IdList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        formatter.write_str(&self.0.iter().map(range).collect::<Vec<_>>().join(","))
    }
}

impl IdList {
    /// A list of one id.
    pub fn of(id: u32) -> IdList {
        IdList(vec![id..=id])
    }

    /// Whether an id is in it.
    pub fn contains(&self, id: u32) -> bool {
        self.0.iter().any(|range| range.contains(&id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_ids_and_ranges() {
        let odd: IdList = "1,3-5".parse().unwrap();
        assert_eq!([0, 1, 2, 3, 5, 6].map(|id| odd.contains(id)), [false, true, false, true, true, false]);
        assert_eq!(odd.to_string(), "1,3-5");
        for bad in ["", "a", "1,", "5-3", "-1", "1-"] {
            assert!(bad.parse::<IdList>().is_err(), "{bad:?}");
        }
    }
}
