//! Scripts that are played to the kernel's own tracefs and to ours: what they give has to be equal.
//!
//! The kernel's side is an instance of its own, which is removed afterwards. Where no tracefs can be written
//! to, the tests say so and pass. What is meant to differ is in `differences.rs`, with the reason.

mod differences;
mod events;
mod input;
mod instances;
mod kernel;
mod names;
mod opening;
mod ours;
mod pages;
mod pids;
mod pieces;
mod player;
mod recording;
mod target;
mod triggers;
mod values;
