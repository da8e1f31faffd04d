//! What counts how often probes are hit.

use crate::atomic::AtomicU64;

/// How many probes are counted.
pub const PROBE_HITS: usize = 256;

/// So many counters each of them has: threads that come to the same one at a time mostly use others.
pub const PROBE_HITS_SHARDS: usize = 16;

/// A counter of a probe.
#[derive(Debug)]
#[repr(C)]
pub struct ProbeHits {
    /// How often it was hit while its event was enabled.
    pub hits: AtomicU64,
    /// How often its event could not be recorded.
    pub missed: AtomicU64,
}
