//! Times that events are chosen by.

use super::Times;
use crate::arguments::Choice;
use crate::failure::{Done, Failure};
use std::str::FromStr;
use trace_data::text::parse_date;

/// A time as somebody writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// In nanoseconds of the recording's clock.
    At(u64),
    /// Nanoseconds behind the first event.
    AfterFirst(u64),
    /// Nanoseconds in front of the last event.
    BeforeLast(u64),
    /// Nanoseconds since 1970.
    Date(u64),
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        let moment = match text.as_bytes() {
            [b'+', ..] => duration(&text[1..]).map(Moment::AfterFirst),
            [b'-', ..] => duration(&text[1..]).map(Moment::BeforeLast),
            _ if text.contains(':') => parse_date(text).map(Moment::Date),
            _ => duration(text).map(Moment::At),
        };
        moment.ok_or_else(|| {
            format!(
                "expected seconds as shown, +1.5 after the first event, -200ms before the last, or a date like \
                 2026-11-21T08:45:09Z, found {text:?}"
            )
        })
    }
}

/// Two times, of which each can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    from: Option<Moment>,
    to: Option<Moment>,
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let (from, to) = text.split_once("..").ok_or_else(|| format!("expected FROM..TO, found {text:?}"))?;
        let moment = |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some) };
        Ok(Span { from: moment(from)?, to: moment(to)? })
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

/// From when to when, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    from: u64,
    to: u64,
}

impl Window {
    /// From the arguments.
    pub(super) fn new(choice: &Choice, times: Times<'_>) -> Done<Window> {
        let span = choice.time.unwrap_or(Span { from: choice.from, to: choice.to });
        let at = |moment: Option<Moment>, other| moment.map_or(Ok(other), |moment| resolve(moment, times));
        let (mut from, mut to) = (at(span.from, 0)?, at(span.to, u64::MAX)?);
        // Lines show microseconds, rounded: what is typed as it is shown means the event that shows it.
        if matches!(span.from, Some(Moment::At(_))) {
            from = from.saturating_sub(ROUNDED);
        }
        if matches!(span.to, Some(Moment::At(_))) {
            to = to.saturating_add(ROUNDED - 1);
        }
        let window = Window { from, to };
        if window.from > window.to {
            return Err(Failure::failed("the time to which events are shown is before the time from which"));
        }
        Ok(window)
    }

    pub(super) fn contains(&self, time: u64) -> bool {
        (self.from..=self.to).contains(&time)
    }
}

/// Whether times need to know when the first event was, and the last.
pub(crate) fn is_relative(choice: &Choice) -> bool {
    let span = choice.time.unwrap_or(Span { from: choice.from, to: choice.to });
    [span.from, span.to]
        .iter()
        .flatten()
        .any(|moment| matches!(moment, Moment::AfterFirst(_) | Moment::BeforeLast(_)))
}

fn resolve(moment: Moment, times: Times<'_>) -> Done<u64> {
    let (first, last) = times.bounds.unwrap_or((0, u64::MAX));
    match moment {
        Moment::At(time) => Ok(time),
        Moment::AfterFirst(passed) => Ok(first.saturating_add(passed)),
        Moment::BeforeLast(left) => Ok(last.saturating_sub(left)),
        Moment::Date(date) => times.supplement.and_then(|known| known.time_at(date)).ok_or_else(|| {
            Failure::failed(
                "the recording doesn't say what the wall clock showed: give seconds as shown, or +SECONDS",
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_several_forms() {
        let moment = |text: &str| text.parse::<Moment>().ok();
        assert_eq!(moment("13405.245207"), Some(Moment::At(13_405_245_207_000)));
        assert_eq!(moment("+1.5"), Some(Moment::AfterFirst(1_500_000_000)));
        assert_eq!(moment("-200ms"), Some(Moment::BeforeLast(200_000_000)));
        assert_eq!(moment("+2.5us"), Some(Moment::AfterFirst(2500)));
        assert_eq!(moment("+1m"), Some(Moment::AfterFirst(60_000_000_000)));
        assert_eq!(moment("1970-01-01T00:00:01Z"), Some(Moment::Date(1_000_000_000)));
        for bad in ["", "+", "x", "1,5", "+-1", "1.x", "12:00", "99999999999999999999"] {
            assert_eq!(moment(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_span_can_be_open() {
        let window = |text: &str| {
            let choice = Choice { time: Some(text.parse().unwrap()), ..Choice::default() };
            let times = Times { bounds: Some((1000, 9000)), supplement: None };
            Window::new(&choice, times).map(|window| (window.from, window.to)).ok()
        };
        assert_eq!(window("+1us..-1us"), Some((2000, 8000)));
        assert_eq!(window("..+1us"), Some((0, 2000)));
        assert_eq!(window("5us..7us"), Some((4500, 7499)));
        assert_eq!(window("5us.."), Some((4500, u64::MAX)));
        assert_eq!(window("5us..1us"), None);
        assert_eq!(window("1970-01-01T00:00:01Z.."), None, "nobody knows the wall clock");
        assert!("5".parse::<Span>().is_err());
    }
}
