//! Calls of `mcount` and `__fentry__` (`-pg`) that traced processes convert to nops.

use super::Session;
use crate::Error;
use abi::control::CallConversion;

/// What has become of such calls, in all processes since the session was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversionCounts {
    /// Calls that were converted.
    pub converted: u64,
    /// Those that could not be.
    pub failed: u64,
    /// How often there was no space to record one.
    pub skipped: u64,
}

impl Session {
    /// Whether processes convert such calls from time to time, once functions have been traced.
    pub fn is_converting(&self) -> bool {
        self.control().conversion().is_enabled
    }

    /// Says whether they do. Each process converts what it has recorded so far in any case, when it next
    /// makes a call.
    pub fn set_converting(&self, is_enabled: bool) -> Result<(), Error> {
        let lock = self.lock_settings()?;
        self.control().set_converting(is_enabled);
        self.call_for_functions(&lock);
        Ok(())
    }

    /// How many such calls there were.
    pub fn conversions(&self) -> ConversionCounts {
        let count = |what| self.control().conversions(what);
        ConversionCounts {
            converted: count(CallConversion::Converted),
            failed: count(CallConversion::Failed),
            skipped: count(CallConversion::Skipped),
        }
    }
}
