//! Where the pages of a recording are.

/// The most CPUs that a file can be of. The kernel's own limit is 8192.
pub(super) const MAX_CPUS: u32 = 1 << 16;

/// A buffer of a recording: the top one, or an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBuffer {
    /// The name of the instance; empty for the top buffer.
    pub name: String,
    /// The name of the clock that its times are in.
    pub clock: String,
    /// Where the pages of each CPU are.
    pub cpus: Vec<CpuData>,
    /// Whether the pages are compressed.
    pub compressed: bool,
}

/// Where the pages of a CPU are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuData {
    /// The CPU.
    pub cpu: u32,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Bytes in the file, compressed or not. 0 for a CPU without events.
    pub size: u64,
}
