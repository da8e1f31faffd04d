//! The command from end to end: real programs, real files, and everything that can go wrong.
//!
//! Each test runs `lookback` as a user does, in a directory of its own, and reads what it leaves behind.

mod agreement;
mod calls;
mod common;
mod programs;
