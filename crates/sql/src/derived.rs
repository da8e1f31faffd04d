//! The tables `slices`, `states` and `stacks`: what one pass over all records makes of them.

mod pass;
mod provider;
mod recorder;
mod run_times;
mod slice_row;
mod stack_row;
mod state_row;

pub use pass::derive;
pub use provider::{Derivation, DerivedTable, listed};
pub use recorder::TableSenders;
pub use slice_row::SliceRow;
pub use stack_row::StackRow;
pub use state_row::StateRow;
