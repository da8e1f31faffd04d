//! Dates and times of day, as RFC 3339 has them: `2026-11-21T08:45:09.250000Z`. Always in UTC, so that
//! recordings of several machines can be put side by side.

use crate::digits::decimal;

const NANOSECONDS: u64 = 1_000_000_000;
const DAY: u64 = 86_400;
/// Days of 400 years, after which the calendar repeats itself.
const ERA: u64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const TO_1970: u64 = 719_468;

/// The date of a time in nanoseconds since 1970, without parts of its second.
pub fn date_to_the_second(time: u64) -> String {
    let mut date = Vec::new();
    print_date(time, &mut date);
    let whole = date.split(|byte| *byte == b'.').next().unwrap_or_default();
    String::from_utf8_lossy(whole).into_owned() + "Z"
}

/// Appends the date of a time in nanoseconds since 1970, to the microsecond.
pub fn print_date(time: u64, out: &mut Vec<u8>) {
    let microseconds = time.wrapping_add(500) / 1000;
    let seconds = microseconds / 1_000_000;
    let (year, month, day) = date(seconds / DAY);
    let second = seconds % DAY;
    let parts = [
        (year, 4, b'-'),
        (month, 2, b'-'),
        (day, 2, b'T'),
        (second / 3600, 2, b':'),
        (second / 60 % 60, 2, b':'),
        (second % 60, 2, b'.'),
        (microseconds % 1_000_000, 6, b'Z'),
    ];
    for (number, width, after) in parts {
        decimal(number, width, b'0', out);
        out.push(after);
    }
}

/// Reads a date: `2026-11-21T08:45:09.25Z`, the fraction and the `Z` left out if you like, or a blank instead
/// of the `T`. Gives nanoseconds since 1970. None for what is none, or not from 1970 on.
pub fn parse_date(text: &str) -> Option<u64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' '])?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let is_date = (1970..=2500).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let digits = fraction.bytes().all(|byte| byte.is_ascii_digit()) && (1..=9).contains(&fraction.len());
    let fraction = format!("{fraction:0<9}").parse::<u64>().ok().filter(|_| digits)?;
    Some((days(year, month, day) * DAY + hour * 3600 + minute * 60 + second) * NANOSECONDS + fraction)
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = text.split(between).map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Year, month and day, from days since 1970.
///
/// Years are counted from March: the day that some have more is the last one then.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + TO_1970;
    let day = days % ERA;
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (days / ERA * 400 + year + u64::from(month <= 2), month, day)
}

/// Days since 1970.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let in_era = year % 400;
    let month = (month + 9) % 12;
    let day = (153 * month + 2) / 5 + day - 1;
    year / 400 * ERA + in_era * 365 + in_era / 4 - in_era / 100 + day - TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, "2000-02-28T23:59:59.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_800, "2000-03-01T00:00:00.000000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] {
            let mut out = Vec::new();
            print_date(seconds * NANOSECONDS, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
            assert_eq!(parse_date(expected), Some(seconds * NANOSECONDS));
        }
    }

    #[test]
    fn dates_are_read_in_several_forms() {
        let expected = Some(1_795_250_709 * NANOSECONDS + 250_000_000);
        for text in ["2026-11-21T08:45:09.25Z", "2026-11-21 08:45:09.250", "2026-11-21T08:45:09.250000000"] {
            assert_eq!(parse_date(text), expected, "{text}");
        }
        for bad in
            ["2026-11-21", "08:45:09", "2026-13-21T08:45:09", "2026-11-00T08:45:09", "1969-11-21T08:45:09"]
        {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
    }
}
