//! The crate's code itself, in many orders of its steps.
//!
//! The tests are built with `--cfg shuttle`, which has each access to a shared word give way to a scheduler
//! ([`abi::atomic`]). Before each access a handler of a signal may come as well, which enters functions of
//! its own, lets callers be shown, and may leave what it has interrupted by a jump. That is all that ends a
//! thread's work between two steps: a signal that kills ends the process with all its slots.
//!
//! [`world`] has the slots, the stacks, and the laws: no slot is two functions', that of one that is to
//! return is not taken back, the caller's address is back before the slot is given away, what was left is
//! taken back when its word was written over, what others have on their stacks stays, and each jump loses no
//! more than one slot. [`actor`] is a thread, and [`scenarios`] are what they do at a time. [`explore`] runs
//! them:
//!
//! * in [`every`] order in which one thing comes in between: at any step another thread goes on, or a handler
//!   of any kind comes. [`small`] ones in every order in which up to four things do;
//! * in thousands of orders that are chosen at random, always the same ones.
//!
//! [`mistakes`] are made to see that they are found; [`scripted`] has an order that neither meets.
//!
//! Everything is sequentially consistent; on x86-64 stores of a thread are seen in their order, and nothing
//! here depends on a load that comes after a store of another word.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test --release --target-dir target/shuttle -p lookback-call-slots --test
//! shuttle`. `LOOKBACK_SHUTTLE_ORDERS` says how many random orders each scenario is run in.
#![cfg(shuttle)]

mod actor;
mod claims;
mod every;
mod explore;
mod mistake;
mod mistakes;
mod scenarios;
mod scripted;
mod slot;
mod small;
mod world;
