//! Call slots: which are free, which are in use, and which were left.
//!
//! A function that is to be seen to return runs in a call slot: the slot's return address stands where its
//! own was, until it has returned. Each slot is one function's at a time, or nobody's. That is simple as long
//! as functions return; but they are left by longjmp(3) and exceptions, they run on stacks of coroutines that
//! go on in other threads or are forgotten, and handlers of signals do all of this between any two
//! instructions.
//!
//! * [`SlotState`] is one slot's: where its return address stands, and whether it does.
//! * [`Slots`] are all of them. A thread takes one, and gives it back when the function has returned.
//!
//! # How a slot goes round
//!
//! ```text
//!          take                     begin                     end
//! free -----------> its thread's -----------> in use ------------------> its thread's
//!  ^                (place 0)     (place P, the slot's address there)      (place 0)
//!  |                                            |                              |
//!  |                                            | left: another word is at P   | give_back
//!  |                                            v                              |
//!  +-------------------------------------- take_back_left                      |
//!  +---------------------------------------------------------------------------+
//! ```
//!
//! Free slots are in lists. Each thread has one of its own, whose head changes by one instruction that
//! handlers of signals come before or after; what it doesn't need is in a list of all threads.
//!
//! Nobody says so when a function was left. It is seen by the word at its place (G2), when no slot is free.
//! Between that look and taking the slot back it may be another function's, at the same place. So both its
//! place and the counts of its uses and of its showings have to be what they were before the look: they are
//! compared and replaced by one instruction.
//!
//! # Invariants
//!
//! * **G1** A slot is in one list of free ones, or one function's, or one thread is about to take it or to
//!   give it back. One that loses its thread there, by a jump out of a handler, is lost; of one that is being
//!   taken back those of the functions, too, that were jumped to at its function's end.
//! * **G2** While a slot's place isn't 0, its function has not returned, or is left for good. In the first
//!   case the word at the place is the slot's own return address, or, while the place says so, the caller's.
//!   So where another word stands there the slot can be taken back, if it is still the same use of it.
//! * **G3** The caller's address stands at the place again before the slot can be another function's.
//!
//! Nothing here waits, allocates or calls the system, and all of it may be interrupted at any instruction by
//! a handler that does the same, or that jumps away. `tests/shuttle` runs this code in many orders of its
//! accesses to shared words, with handlers, jumps and coroutines, and with mistakes that it has to find.
//!
//! # What this crate is not
//!
//! It knows nothing of the code that slots are, of what is recorded, or of how a place is read that may be no
//! memory any more: whoever takes back says what is found there. Which call encloses which is kept with each
//! slot ([`SlotState::outer`]), and nothing here depends on it.
//!
//! # Example
//!
//! ```
//! use call_slots::{OwnList, SharedSlots, SlotState, SlotUse, Slots, WithState};
//! use std::{cell::Cell, sync::atomic::AtomicU64, sync::atomic::Ordering::Relaxed};
//!
//! #[derive(Default)]
//! struct MySlot(SlotState);
//!
//! impl WithState for MySlot {
//!     fn state(&self) -> &SlotState {
//!         &self.0
//!     }
//!     fn return_address(&self) -> u64 {
//!         0x5107
//!     }
//! }
//!
//! impl OwnList for &MyThread {
//!     fn word(self) -> u64 {
//!         self.0.get()
//!     }
//!     fn replace(self, expected: u64, new: u64) -> bool {
//!         self.0.get() == expected && { self.0.set(new); true }
//!     }
//!     fn is_ending(self) -> bool {
//!         false
//!     }
//!     fn set_ending(self) {}
//! }
//! struct MyThread(Cell<u64>);
//!
//! let (all, shared, thread) = ([MySlot::default()], SharedSlots::new(), MyThread(Cell::new(0)));
//! let slots = Slots::new(&all, &shared);
//!
//! // A function is called, with its return address on the stack, and returns.
//! let place = AtomicU64::new(0xca11e8);
//! let slot = slots.take(&thread).unwrap();
//! slot.state().use_for(SlotUse::NONE);
//! slot.state().caller.store(place.load(Relaxed), Relaxed);
//! slot.state().begin(&place, slot.return_address());
//! assert!(place.load(Relaxed) == 0x5107 && slots.take(&thread).is_none());
//! slot.state().end(&place);
//! slots.give_back(&thread, slot);
//! assert!(place.load(Relaxed) == 0xca11e8 && slots.take(&thread).is_some());
//! ```
#![no_std]

mod head;
mod in_use;
mod lists;
mod place;
mod reclaim;
mod shown;
mod slot;
mod slot_use;

pub use lists::{OwnList, SharedSlots, Slots, WithState};
pub use reclaim::{AtPlace, BATCH};
pub use slot::SlotState;
pub use slot_use::SlotUse;
