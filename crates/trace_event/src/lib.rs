//! Typed events, and the recorder of a traced process.
//!
//! An event is a static [`Event`]: a system, a name, typed fields. Its `format` text is the kernel's. A
//! process that is [attached](attach) to a session records events into the session's buffers; one that is
//! not pays a load and a branch per event.
//!
//! What this crate is not: it wraps no function of anybody's (that is `agent`), and it doesn't read what
//! was recorded (that is `trace_data`).
//!
//! ```
//! use trace_event::{Event, Field, Kind};
//!
//! static REQUEST: Event = Event {
//!     system: "app",
//!     name: "request",
//!     fields: &[
//!         Field { name: "id", kind: Kind::U64 },
//!         Field { name: "status", kind: Kind::I32 },
//!         Field { name: "path", kind: Kind::Text },
//!     ],
//! };
//! assert_eq!(
//!     REQUEST.format().to_string(),
//!     "\tfield:unsigned long id;\toffset:8;\tsize:8;\tsigned:0;\n\
//!      \tfield:int status;\toffset:16;\tsize:4;\tsigned:1;\n\
//!      \tfield:__data_loc char[] path;\toffset:20;\tsize:4;\tsigned:0;\n\
//!      \n\
//!      print fmt: \"id=%lu status=%d path=\\\"%s\\\"\", REC->id, REC->status, __get_str(path)\n"
//! );
//! ```
#![no_std]

#[cfg(test)]
extern crate std;

mod buffers;
mod event;
mod format;
mod here;
mod kind;
mod own_stack;
mod process;
mod recorder;
mod shared;
mod site;
mod stack;
mod thread;
mod thread_words;
mod triggers;

pub use event::{Event, Field};
pub use kind::Kind;
pub use own_stack::{OwnStack, memory_changes, reach_in_stack};
pub use process::{
    AttachError, Attached, Attachment, Hooks, Origin, Parent, Session, attach, leave, session,
};
pub use recorder::{ENABLED_SHIFT, Entered, NOTHING_ENABLED, enabled_word, enter, is_enabled};
pub use site::{PRINT_FORMAT, PRINT_ID, register};
pub use stack::{FrameRecord, STACK_FORMAT, STACK_ID};
pub use thread::{
    ThreadState, aside_word, child_in_memory, end_thread, forked, is_aside, keep_aside, maker_aside,
    placeholder, placeholder_aside, set_aside, take_back, take_back_kept, thread_state, tid_of_libc,
    tid_offset,
};
pub use triggers::Stage;
