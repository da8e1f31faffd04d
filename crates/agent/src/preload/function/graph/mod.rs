//! What is recorded of functions by the tracer `function_graph`: that they begin, and that they return.
//!
//! A return can't be seen at a function's start. So a function that is to be seen to return runs in a *call
//! slot*: a few instructions of our own that call it, with its arguments and its stack where they are. It is
//! entered from its site, which has called us; the return address that its caller has pushed is kept in the
//! slot, and the slot's own lies in its place until the function has returned
//! (`arch/x86_64/call_slots.rs` has the code, and a picture).
//!
//! ```text
//! caller: call f ---> f: site ---> entry event, takes a slot
//!   ^                                |
//!   |                              slot: call ---> f's body
//!   +------- exit event <----------- |  <----------- ret
//! ```
//!
//! Nothing that a program can do with its stack is in the way: unwinders find the caller through the slot,
//! and a function that is left by a jump, or on a stack that is never used again, leaves a slot that says so
//! by itself (G2).
//!
//! Invariants:
//! * **G1** A slot is in one list of free ones, or one function's, or one thread is about to take it or to
//!   give it back. One that loses its thread there, by a jump out of a handler, is lost.
//! * **G2** While a slot's place isn't 0, its function has not returned, or is left for good. In the first
//!   case the word at the place is the slot's own return address. So where another word stands there the
//!   slot can be taken back.
//! * **G3** The caller's address stands at the place again before the slot can be another function's.
//! * **G4** What is said of enclosing calls, depths among it, decides what is recorded and never where a
//!   function returns to: after jumps and on several stacks it may be wrong.

mod callers;
mod chain;
mod entry;
mod exit;
mod pool;
mod reclaim;
mod record;
mod slot;
mod thread;

pub(crate) use callers::{real_caller, show_callers};
pub(super) use entry::{enter, enter_alone};
pub(super) use exit::leave;
pub(crate) use exit::returned;
pub(super) use pool::thread_ends;
pub(crate) use slot::{CallSlot, SLOTS};
