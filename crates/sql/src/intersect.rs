//! `intersect(a, b)`: where intervals of two tables overlap.
//!
//! Both are sorted by thread and time, which spills where memory is short, and are swept once: at any time
//! only intervals that have not ended are held.

mod exec;
mod side;
mod sweep;
mod table;

pub use table::Intersect;
