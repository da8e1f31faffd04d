//! What depends on the processor.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{clear_bits, load_pair, registers, set_bits, store_pair};
