//! The table `events`: the records of a trace.dat file, read as they are asked for.

mod filter;
mod provider;
mod row;
mod scan;

pub use provider::EventProvider;
