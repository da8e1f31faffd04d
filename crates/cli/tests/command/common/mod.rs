//! What the tests share: a directory, running commands in it, reading recordings.

mod run;
mod scratch;
mod tools;
mod trace;

pub use run::{Outcome, Running, run, start};
pub use scratch::{LOOKBACK, Scratch, is_left};
pub use tools::{compile, find, is_missing, is_root, skip};
pub use trace::{Event, Trace};
