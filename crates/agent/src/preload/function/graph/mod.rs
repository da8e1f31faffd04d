//! What is recorded of functions by the tracer `function_graph`, and counted by the profile: that they begin,
//! and that they return.
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
//! Which slot is whose, and that it is one function's at a time, is the crate `call_slots`, with its
//! invariants G1 to G3: the place of a slot in use has the slot's return address (G2), and the caller's again
//! before the slot can be another function's (G3). Here is one more:
//!
//! * **G4** What is said of enclosing calls, depths among it, decides what is recorded and never where a
//!   function returns to: after jumps and on several stacks it may be wrong.

mod callers;
mod chain;
mod entry;
mod exit;
mod pool;
mod profile;
mod reclaim;
mod record;
mod slot;
mod thread;

pub(crate) use callers::{real_caller, show_callers};
pub(super) use entry::{enter, enter_alone, enter_profile_alone, try_enter};
pub(crate) use exit::{ReturnStep, ReturnedValues, returned};
pub(super) use exit::{leave, try_return};
pub(super) use pool::thread_ends;
pub(super) use profile::{can_profile, forget as forget_profile};
pub(crate) use slot::{CallSlot, SLOTS};
