//! x86-64.

mod area;
mod section;

pub(crate) use area::{area_offset, at_thread_pointer, thread_area};
pub use section::{publish, store_pair};
