//! x86-64.

mod area;
mod section;

pub(crate) use area::{area_offset, thread_area, thread_pointer};
pub use section::{publish, store_pair};
