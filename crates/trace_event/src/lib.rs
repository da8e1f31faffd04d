//! The recorder of a traced process.
//!
//! A process that is [attached](attach) to a session records events into the session's buffers; one that is
//! not pays a load and a branch per event:
//!
//! ```
//! use events::Call;
//! use trace_event::{enter, is_enabled};
//!
//! // Nobody has attached this process.
//! assert!(!is_enabled(Call::open.entry()));
//! assert!(enter().is_none());
//! ```
//!
//! What this crate is not: it wraps no function of anybody's (that is `agent`), it doesn't describe events
//! (that is `events`), and it doesn't read what was recorded (that is `trace_data`).
#![no_std]

#[cfg(test)]
extern crate std;

mod buffers;
mod here;
mod own_stack;
mod process;
mod recorder;
mod shared;
mod site;
mod stack;
mod thread;
mod thread_words;
mod triggers;

pub use own_stack::{OwnStack, memory_changes, reach_in_stack};
pub use process::{
    AttachError, Attached, AttachedSession, Attachment, Hooks, Origin, Parent, attach, leave, session,
};
pub use recorder::{ENABLED_SHIFT, Entered, NOTHING_ENABLED, enabled_word, enter, is_enabled};
pub use site::register;
pub use stack::FrameRecord;
pub use thread::{
    ThreadState, aside_word, child_in_memory, end_thread, forked, is_aside, keep_aside, maker_aside,
    placeholder, placeholder_aside, set_aside, take_back, take_back_kept, thread_state, tid_of_libc,
    tid_offset,
};
pub use triggers::Stage;
