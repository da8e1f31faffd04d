//! Which types may be seen through a reference although others write them.

use abi::atomic::{AtomicU32, AtomicU64};

/// A type that another process may write while we hold a reference to it.
///
/// # Safety
///
/// Every field is an atomic or padding that is never read, every bit pattern is a value of the type,
/// and the type has no destructor.
pub unsafe trait Shared {}

// SAFETY: an atomic of which every bit pattern is a value.
unsafe impl Shared for AtomicU32 {}
// SAFETY: an atomic of which every bit pattern is a value.
unsafe impl Shared for AtomicU64 {}
// SAFETY: what holds for each holds for all of them.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// Structs of `abi` that are mapped.
macro_rules! shared {
    ($($name:ty),* $(,)?) => {
        // SAFETY: `abi` promises that its shared structs consist of atomics and private padding.
        $(unsafe impl Shared for $name {})*
    };
}

shared! {
    abi::buffer::BufferHeader,
    abi::buffer::Block,
    abi::buffer::Ring,
    abi::buffer::Slot,
    abi::control::ControlHeader,
    abi::control::EventEntry,
    abi::control::Switches,
    abi::control::PidList,
    abi::control::ProbeHits,
    abi::control::waiter::Waiter,
    abi::control::TaskEntry,
    abi::control::ProcessEntry,
    abi::control::MapChunk,
    abi::control::Object,
    abi::control::GovernorWords,
    abi::control::GovernedCpu,
    abi::control::GovernedEvent,
    abi::instance::InstanceSlot,
    abi::profile::ProfileHeader,
    abi::profile::CpuProfileHead,
    abi::profile::FunctionCounts,
}
