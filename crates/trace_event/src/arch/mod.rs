//! What depends on the processor.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    before_zero, clear_bits, copy_16, cut, load_at_thread_pointer, load_pair, load_text, registers, set_bits,
    store_pair,
};
