//! The slow path, the code itself, in many orders of its atomic instructions.
//!
//! The tests are built with `--cfg shuttle`, which has each access to a shared word give way to a
//! scheduler ([`abi::atomic`]). [`scenarios`] are what two or three do at a time to a buffer in a real
//! file; [`stage`] has the laws that hold whatever the order was; [`explore`] chooses the orders, and
//! always the same ones. [`mistakes`] tears an atomic instruction into a load and a store, for each of the
//! words that many change, to see that it is found.
//!
//! What the model next door checks in every order is the algorithm, copied; this is the code, in some orders.
//! Everything is sequentially consistent. Sections are not here: writers use lanes.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test --release --target-dir target/shuttle -p lookback-ring-buffer --test
//! shuttle`. `LOOKBACK_SHUTTLE_ORDERS` says how many orders each scenario is run in.
#![cfg(shuttle)]

mod explore;
mod identity;
mod mistakes;
mod scenarios;
mod stage;
