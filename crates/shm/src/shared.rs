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
// SAFETY: as above.
unsafe impl Shared for AtomicU64 {}
// SAFETY: what holds for each holds for all of them.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}
// SAFETY: `abi` promises that its shared structs consist of atomics and private padding.
unsafe impl Shared for abi::buffer::Header {}
// SAFETY: as above.
unsafe impl Shared for abi::buffer::Block {}
// SAFETY: as above.
unsafe impl Shared for abi::buffer::Ring {}
// SAFETY: as above.
unsafe impl Shared for abi::buffer::Slot {}
// SAFETY: as above.
unsafe impl Shared for abi::control::Header {}
// SAFETY: as above.
unsafe impl Shared for abi::control::EventEntry {}
// SAFETY: as above.
unsafe impl Shared for abi::control::Switches {}
// SAFETY: as above.
unsafe impl Shared for abi::control::PidList {}
// SAFETY: as above.
unsafe impl Shared for abi::control::Task {}
// SAFETY: as above.
unsafe impl Shared for abi::control::Process {}
// SAFETY: as above.
unsafe impl Shared for abi::control::MapChunk {}
// SAFETY: as above.
unsafe impl Shared for abi::control::Object {}
// SAFETY: as above.
unsafe impl Shared for abi::instance::Instance {}
