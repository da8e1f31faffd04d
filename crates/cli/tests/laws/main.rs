//! The laws of the tracee: someone else's program is never ended, held up or changed.
//!
//! Each test compiles a small program, runs it without lookback and with it, and compares all that can be
//! seen of the two; then it looks at whether what was recorded is true.

mod support;

mod aliases;
mod allowed;
mod descriptors;
mod executing;
mod filters;
mod footprint;
mod foreign;
mod graph;
mod handlers;
mod libcs;
mod limits;
mod making;
mod many;
mod memory;
mod needed_calls;
mod own_tests;
mod pointers;
mod quick;
mod registers;
mod results;
mod signals;
mod stacks;
mod stress;
mod surroundings;
mod threads;
mod unbuilt;
mod unwinding;
