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

mod arch;
mod aside;
mod attachment;
mod buffers;
mod call_time;
mod current;
mod current_call;
mod enabled;
mod entered;
mod function;
mod given_names;
mod governor;
mod graph;
mod here;
mod innermost;
mod lasting;
mod libc_tid;
mod own_stack;
mod plain_writer;
mod process;
mod readiness;
mod recorder;
mod replaced;
mod sections;
mod shared;
mod site;
mod snapshot;
mod stack;
mod state;
mod thread;
#[cfg(feature = "table_of_threads")]
mod thread_stacks;
#[cfg(feature = "table_of_threads")]
mod thread_table;
mod thread_words;
mod wakeups;
mod writers;

pub use aside::{aside_word, keep_aside, set_aside, take_back, take_back_kept};
pub use attachment::{AttachError, Attached, Attachment, Hooks, Origin, OwnStack, Parent};
pub use call_time::{call_ticks, call_time, nanoseconds};
pub use current_call::{EnteredCall, OuterCall, end_calls, enter_call, jump_out_of_calls, leave_call};
pub use enabled::{ENABLED_SHIFT, NOTHING_ENABLED, enabled_word, is_enabled, slow_calls};
pub use entered::{
    CallRecord, Entered, FrameRecord, KnownThread, enter, enter_in_libc, enter_known, enter_known_in_libc,
};
pub use function::{TracingInstance, flags_of_calls};
pub use graph::{GraphExit, graph_entry, graph_exit};
pub use lasting::lasts;
pub use libc_tid::{tid_of_libc, tid_offset};
pub use own_stack::{memory_changes, reach_in_stack};
pub use plain_writer::PlainWriter;
pub use process::{
    AttachedAgain, AttachedSession, attach, attach_again, detach, detached_times, free_session, leave,
    session,
};
pub use readiness::{
    DataSource, DataWait, MOST_DESCRIPTORS, doubt_readable, end_data_wait, makes_readable, mixed,
};
pub use sections::{
    StateChange, change_state, is_outside_sections, section_state, sections_are_measured, with_locks,
    with_signals,
};
pub use site::{register, unregister};
pub use snapshot::{SeenError, chooses_errors, take_snapshot};
pub use state::{
    HandlerStack, count_lock, handler_begins, handler_ends, jump_out_of_handlers, locks_held,
    set_signal_mask, set_signals_blocked, signal_mask, signals_are_blocked,
};
pub use thread::{
    ThreadState, begin_thread, child_in_memory, end_thread, forked, is_aside, maker_aside, placeholder,
    placeholder_aside, thread_state,
};
#[cfg(feature = "table_of_threads")]
pub use thread_stacks::{MISSED_ON_STACKS, count_missed_on_stacks, find_thread_stack, make_thread_stacks};
pub use wakeups::{BegunWaits, WaitEnd, begin_waits, end_waits, wakes, wakeups_are_measured};
