//! What times are counted in.

/// The clock whose units are in the pages.
///
/// Times do not decrease within a CPU's block, whichever it is: an event gets the time of the one before
/// where the clock says an earlier one. Source: `trace_clock` of the kernel's tracefs; its names are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// The processor's time stamp counter, in its own ticks: `x86-tsc`. It stands for `local`, `global` and
    /// `perf`, too: readers turn it into nanoseconds.
    Tsc = 1,
    /// `CLOCK_MONOTONIC` in nanoseconds, where the counter can't be trusted: `mono`. It stands still while
    /// the machine is suspended.
    Monotonic = 2,
    /// `CLOCK_MONOTONIC_RAW` in nanoseconds: `mono_raw`. Nobody adjusts its rate.
    MonotonicRaw = 3,
    /// `CLOCK_BOOTTIME` in nanoseconds: `boot`. It goes on while the machine is suspended.
    Boot = 4,
    /// `CLOCK_TAI` in nanoseconds: `tai`. It is set when the time of day is: when it is set back, events
    /// keep the last time until it has caught up.
    Tai = 5,
}

impl Clock {
    /// All of them.
    pub const ALL: [Clock; 5] = [Clock::Tsc, Clock::Monotonic, Clock::MonotonicRaw, Clock::Boot, Clock::Tai];

    /// The clock that a header's word names.
    pub const fn from_word(word: u32) -> Option<Clock> {
        match word {
            1 => Some(Clock::Tsc),
            2 => Some(Clock::Monotonic),
            3 => Some(Clock::MonotonicRaw),
            4 => Some(Clock::Boot),
            5 => Some(Clock::Tai),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_word_of_its_own() {
        assert!(Clock::ALL.iter().all(|clock| Clock::from_word(*clock as u32) == Some(*clock)));
        assert_eq!((Clock::from_word(0), Clock::from_word(6)), (None, None));
    }
}
