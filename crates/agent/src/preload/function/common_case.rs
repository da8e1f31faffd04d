//! Whether what is to be recorded at sites is a common case, which has a quicker way of its own.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

/// Which case it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum CommonCase {
    /// None: each site says what is to be done.
    None = 0,
    /// Nothing but the tracer `function`, without arguments.
    Calls = 1,
    /// Nothing but the tracer `function_graph` of the first instance, of all functions that have enabled
    /// sites, in its plain form.
    Graph = 2,
    /// Nothing but the profile.
    Profile = 3,
    /// Nothing but probes, and none of returns.
    Probes = 4,
}

static CASE: AtomicU32 = AtomicU32::new(CommonCase::None as u32);

/// What it is.
// Relaxed: who is called while that changes may go either way.
#[inline(always)]
pub(super) fn common_case() -> CommonCase {
    match CASE.load(Relaxed) {
        1 => CommonCase::Calls,
        2 => CommonCase::Graph,
        3 => CommonCase::Profile,
        4 => CommonCase::Probes,
        _ => CommonCase::None,
    }
}

/// Says what it is, before sites are enabled for it.
pub(super) fn use_case(case: CommonCase) {
    CASE.store(case as u32, Relaxed);
}
