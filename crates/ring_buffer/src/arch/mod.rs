//! What depends on the processor.
//!
//! # Safety
//!
//! The caller answers for the addresses; the words there are shared, and changed as atomics are (R11).

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Bytes, TextEvent};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    append, append_at, append_in_registers, append_last, append_read, append_sliced_at, append_with_text,
    current_cpu, knows_cpu, prefetch_for_store, ticks,
};
