//! What depends on the processor.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{area_offset, at_thread_pointer, thread_area};
#[cfg(target_arch = "x86_64")]
pub use x86_64::{publish, store_pair};

#[cfg(not(target_arch = "x86_64"))]
compile_error!("lookback runs on x86-64 only; an arch/ module with the same names would port it");
