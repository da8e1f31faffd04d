//! Calls of `mcount` and `__fentry__` that traced processes convert to nops.

use crate::area::ControlArea;
use abi::control::{CONVERSION_OFF, CallConversion};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// Whether such calls are converted, and how often somebody has asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversionState {
    /// Whether it is done from time to time.
    pub is_enabled: bool,
    /// A number that goes up when somebody asks for it to be done at once.
    pub requests: u32,
}

impl ControlArea {
    /// Whether processes convert such calls. Async-signal-safe. Cost: a load.
    // Acquire: pairs with the AcqRel of `set_converting`.
    #[inline]
    pub fn conversion(&self) -> ConversionState {
        let word = self.header().conversion.load(Acquire);
        ConversionState { is_enabled: word & CONVERSION_OFF == 0, requests: word & !CONVERSION_OFF }
    }

    /// Says whether they do, and asks them to do it once at once.
    ///
    /// Only for one who has the session's lock, and who has processes look for it afterwards.
    // AcqRel: see `conversion`.
    pub fn set_converting(&self, is_enabled: bool) {
        let off = if is_enabled { 0 } else { CONVERSION_OFF };
        let next = |word: u32| Some(word.wrapping_add(1) & !CONVERSION_OFF | off);
        let _ = self.header().conversion.fetch_update(AcqRel, Acquire, next);
    }

    /// Counts such calls. Async-signal-safe.
    // Relaxed: a count.
    pub fn count_conversions(&self, what: CallConversion, count: u64) {
        if count > 0
            && let Some(counter) = self.header().conversions.get(what as usize)
        {
            counter.fetch_add(count, Relaxed);
        }
    }

    /// How many there were, in all processes since the session was made.
    // Relaxed: a count.
    pub fn conversions(&self, what: CallConversion) -> u64 {
        self.header().conversions.get(what as usize).map_or(0, |counter| counter.load(Relaxed))
    }
}
