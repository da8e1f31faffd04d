//! Readings of the clocks, together with the time of day.

use control::Clocks;
use std::time::{SystemTime, UNIX_EPOCH};

/// When all that had come was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyncPoint {
    pub(crate) clocks: Clocks,
    /// Nanoseconds since 1970, as the time of day was set.
    pub(crate) date: u64,
}

impl SyncPoint {
    pub(crate) fn now() -> SyncPoint {
        let date = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        SyncPoint { clocks: Clocks::now(), date }
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let Clocks { tsc, mono, mono_raw, boot, tai } = self.clocks;
        [tsc, mono, mono_raw, boot, tai, self.date].into_iter().flat_map(u64::to_le_bytes).collect()
    }

    pub(crate) fn of(bytes: &[u8]) -> Option<SyncPoint> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let [tsc, mono, mono_raw, boot, tai, date] =
            <[[u8; 8]; 6]>::try_from(words).ok()?.map(u64::from_le_bytes);
        Some(SyncPoint { clocks: Clocks { tsc, mono, mono_raw, boot, tai }, date })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was() {
        let now = SyncPoint::now();
        assert_eq!(SyncPoint::of(&now.to_bytes()), Some(now));
        assert_eq!(SyncPoint::of(&now.to_bytes()[1..]), None);
    }
}
