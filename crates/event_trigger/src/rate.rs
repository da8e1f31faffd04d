//! How many errors of a call are too many.

/// A rate: more than `limit` errors in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorRate {
    /// So many are allowed.
    pub limit: u16,
    /// In this time.
    pub period: RatePeriod,
}

/// The time in which errors are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatePeriod {
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
}

impl RatePeriod {
    /// All of them, in the order of their codes.
    pub const ALL: [RatePeriod; 3] = [RatePeriod::Second, RatePeriod::Minute, RatePeriod::Hour];

    /// Its letter, after the slash.
    pub const fn letter(self) -> &'static str {
        match self {
            RatePeriod::Second => "s",
            RatePeriod::Minute => "m",
            RatePeriod::Hour => "h",
        }
    }

    /// How long it is.
    pub const fn nanoseconds(self) -> u64 {
        1_000_000_000
            * match self {
                RatePeriod::Second => 1,
                RatePeriod::Minute => 60,
                RatePeriod::Hour => 3600,
            }
    }
}

/// Bits of the detail that say where the error is in a record.
const OFFSET: u8 = 6;

impl ErrorRate {
    /// What a trigger's head has of it as its target and its detail: with where the error is in a record of
    /// its event. None for one that is further on than any is.
    pub fn encode(self, error_offset: usize) -> Option<(u16, u8)> {
        let offset = u8::try_from(error_offset).ok().filter(|offset| *offset < 1 << OFFSET)?;
        Some((self.limit, (self.period as u8) << OFFSET | offset))
    }

    /// The rate that a head has. None for a period that doesn't exist.
    pub fn decode(target: u16, detail: u8) -> Option<ErrorRate> {
        let period = *RatePeriod::ALL.get(usize::from(detail >> OFFSET))?;
        Some(ErrorRate { limit: target, period })
    }
}

/// The error that a record has, by the detail of a trigger's head.
pub(crate) fn error_in(record: &[u8], detail: u8) -> u16 {
    let offset = usize::from(detail & ((1 << OFFSET) - 1));
    let bytes = record.get(offset..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_come_back_as_they_were() {
        for period in RatePeriod::ALL {
            let rate = ErrorRate { limit: u16::MAX, period };
            let (target, detail) = rate.encode(16).unwrap();
            assert_eq!(ErrorRate::decode(target, detail), Some(rate));
            let record: std::vec::Vec<u8> = (0..24).collect();
            assert_eq!(error_in(&record, detail), 0x1110);
            assert_eq!(error_in(&record[..18], detail), 0);
            assert_eq!(rate.encode(64), None);
        }
        assert_eq!(ErrorRate::decode(1, u8::MAX), None);
    }
}
