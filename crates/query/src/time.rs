//! Times that records are chosen by.

use crate::Error;
use std::ops::RangeInclusive;
use std::str::FromStr;
use trace_data::dat::Supplement;
use trace_data::text::parse_date;

/// A time as somebody writes it: `13405.245207`, `+1.5`, `-200ms`, `2026-11-21T08:45:09Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeBound {
    /// In nanoseconds of the recording's clock.
    At(u64),
    /// Nanoseconds after the first event.
    AfterFirst(u64),
    /// Nanoseconds before the last event.
    BeforeLast(u64),
    /// Nanoseconds since 1970.
    Date(u64),
}

impl FromStr for TimeBound {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeBound, String> {
        let bound = match text.as_bytes() {
            [b'+', ..] => duration(&text[1..]).map(TimeBound::AfterFirst),
            [b'-', ..] => duration(&text[1..]).map(TimeBound::BeforeLast),
            _ if text.contains(':') => parse_date(text).map(TimeBound::Date),
            _ => duration(text).map(TimeBound::At),
        };
        bound.ok_or_else(|| {
            format!(
                "expected seconds as shown, +1.5 after the first event, -200ms before the last, or a date like \
                 2026-11-21T08:45:09Z, found {text:?}"
            )
        })
    }
}

/// Two times, of which each can be left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The time from which records are meant.
    pub from: Option<TimeBound>,
    /// The time up to which they are.
    pub to: Option<TimeBound>,
}

impl TimeRange {
    /// From so many nanoseconds before a time to as many after it.
    pub fn around(time: TimeBound, distance: u64) -> TimeRange {
        let (less, more) =
            (|time: u64| time.saturating_sub(distance), |time: u64| time.saturating_add(distance));
        let (from, to) = match time {
            TimeBound::At(time) => (TimeBound::At(less(time)), TimeBound::At(more(time))),
            TimeBound::AfterFirst(time) => {
                (TimeBound::AfterFirst(less(time)), TimeBound::AfterFirst(more(time)))
            }
            TimeBound::BeforeLast(time) => {
                (TimeBound::BeforeLast(more(time)), TimeBound::BeforeLast(less(time)))
            }
            TimeBound::Date(time) => (TimeBound::Date(less(time)), TimeBound::Date(more(time))),
        };
        TimeRange { from: Some(from), to: Some(to) }
    }

    /// Whether the times of the first and the last record have to be known.
    pub fn is_relative(&self) -> bool {
        let bounds = [self.from, self.to];
        bounds
            .iter()
            .flatten()
            .any(|bound| matches!(bound, TimeBound::AfterFirst(_) | TimeBound::BeforeLast(_)))
    }
}

/// What relative times and dates are counted from.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeReference<'a> {
    /// The times of the first record and of the last.
    pub bounds: Option<(u64, u64)>,
    /// The clock sync points.
    pub supplement: Option<&'a Supplement>,
}

impl FromStr for TimeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeRange, String> {
        let (from, to) = text.split_once("..").ok_or_else(|| format!("expected FROM..TO, found {text:?}"))?;
        let bound = |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some) };
        Ok(TimeRange { from: bound(from)?, to: bound(to)? })
    }
}

/// Nanoseconds of a number in seconds, or with a unit: `1.5`, `200ms`, `3us`, `10ns`, `2s`, `5m`.
fn duration(text: &str) -> Option<u64> {
    let units = [("ns", 1u64), ("us", 1000), ("ms", 1_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000)];
    let found = units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
    let (number, unit) = found.unwrap_or((text, 1_000_000_000));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = !whole.is_empty()
        && [whole, fraction].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let whole = whole.parse::<u64>().ok().filter(|_| is_number)?.checked_mul(unit)?;
    // Exact, as a floating-point number would not be.
    let (mut part, mut digit) = (0, unit);
    for byte in fraction.bytes() {
        digit /= 10;
        part += digit * u64::from(byte - b'0');
    }
    whole.checked_add(part)
}

/// Nanoseconds that rounding to microseconds can add.
const ROUNDED: u64 = 500;

impl TimeRange {
    /// From when to when.
    pub(crate) fn resolve(self, reference: TimeReference<'_>) -> Result<RangeInclusive<u64>, Error> {
        let at = |bound: Option<TimeBound>, other| bound.map_or(Ok(other), |bound| resolve(bound, reference));
        let (mut from, mut to) = (at(self.from, 0)?, at(self.to, u64::MAX)?);
        // Lines show microseconds, rounded: what is typed as it is shown means the event that shows it.
        if matches!(self.from, Some(TimeBound::At(_))) {
            from = from.saturating_sub(ROUNDED);
        }
        if matches!(self.to, Some(TimeBound::At(_))) {
            to = to.saturating_add(ROUNDED - 1);
        }
        if from <= to { Ok(from..=to) } else { Err(Error::TimesReversed) }
    }
}

fn resolve(bound: TimeBound, reference: TimeReference<'_>) -> Result<u64, Error> {
    let (first, last) = reference.bounds.unwrap_or((0, u64::MAX));
    match bound {
        TimeBound::At(time) => Ok(time),
        TimeBound::AfterFirst(passed) => Ok(first.saturating_add(passed)),
        TimeBound::BeforeLast(left) => Ok(last.saturating_sub(left)),
        TimeBound::Date(date) => {
            reference.supplement.and_then(|known| known.time_at(date)).ok_or(Error::UnknownDate)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_several_forms() {
        let bound = |text: &str| text.parse::<TimeBound>().ok();
        assert_eq!(bound("13405.245207"), Some(TimeBound::At(13_405_245_207_000)));
        assert_eq!(bound("+1.5"), Some(TimeBound::AfterFirst(1_500_000_000)));
        assert_eq!(bound("-200ms"), Some(TimeBound::BeforeLast(200_000_000)));
        assert_eq!(bound("+2.5us"), Some(TimeBound::AfterFirst(2500)));
        assert_eq!(bound("+1m"), Some(TimeBound::AfterFirst(60_000_000_000)));
        assert_eq!(bound("1970-01-01T00:00:01Z"), Some(TimeBound::Date(1_000_000_000)));
        for bad in ["", "+", "x", "1,5", "+-1", "1.x", "12:00", "99999999999999999999"] {
            assert_eq!(bound(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_range_can_be_open() {
        let window = |text: &str| {
            let reference = TimeReference { bounds: Some((1000, 9000)), supplement: None };
            text.parse::<TimeRange>().unwrap().resolve(reference).ok().map(RangeInclusive::into_inner)
        };
        assert_eq!(window("+1us..-1us"), Some((2000, 8000)));
        assert_eq!(window("..+1us"), Some((0, 2000)));
        assert_eq!(window("5us..7us"), Some((4500, 7499)));
        assert_eq!(window("5us.."), Some((4500, u64::MAX)));
        assert_eq!(window("5us..1us"), None);
        assert_eq!(window("1970-01-01T00:00:01Z.."), None, "no clock sync points");
        assert!("5".parse::<TimeRange>().is_err());
    }

    #[test]
    fn a_time_has_as_much_before_it_as_after_it() {
        let around = |text: &str| TimeRange::around(text.parse().unwrap(), 100);
        let range = |from, to| TimeRange { from: Some(from), to: Some(to) };
        assert_eq!(around("1us"), range(TimeBound::At(900), TimeBound::At(1100)));
        assert_eq!(around("+10ns"), range(TimeBound::AfterFirst(0), TimeBound::AfterFirst(110)));
        assert_eq!(around("-1us"), range(TimeBound::BeforeLast(1100), TimeBound::BeforeLast(900)));
    }
}
