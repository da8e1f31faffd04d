//! The command from end to end: real programs, real files, and everything that can go wrong.
//!
//! Each test runs `lookback` as a user does, in a directory of its own, and reads what it leaves.

mod agreement;
mod answers;
mod author;
mod bad_files;
mod bad_programs;
mod bad_sessions;
mod calls;
mod choosing;
mod clients;
mod common;
mod durations;
mod environment;
mod exec;
mod forged;
mod function_arguments;
mod function_commands;
mod function_interruptions;
mod function_names;
mod function_recordings;
mod function_sites;
mod functions;
mod kernel_recordings;
mod killed;
mod limits;
mod lock_waits;
mod lua;
mod mounting;
mod peers;
mod persistent;
mod places;
mod process_tree;
mod processes;
mod programs;
mod report;
mod signals;
mod stacks;
mod terminal;
mod trace_cmd;
mod tracing;
mod transcripts;
mod tree;
mod truncated;
mod unseen;
mod views;
