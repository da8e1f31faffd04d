//! Options that a latency tracer has enabled, as they were before: to be put back.

/// What options were before a latency tracer has enabled them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OptionsBefore {
    pub(super) latency_format: bool,
    pub(super) overwrite: bool,
}

impl OptionsBefore {
    /// As a number, for the file of preferences.
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.latency_format) | u32::from(self.overwrite) << 1
    }

    /// What has this number.
    pub(crate) fn from_bits(bits: u32) -> OptionsBefore {
        OptionsBefore { latency_format: bits & 1 != 0, overwrite: bits & 2 != 0 }
    }
}
