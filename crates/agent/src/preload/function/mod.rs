//! Functions of the program that are traced: where their sites are, which are wanted, and what they call.
//!
//! Which functions are wanted is in the session. A thread of the process looks there when it makes a call
//! that is wrapped ([`keep_up`]), and brings the code up to date: nobody else can, and no thread waits for
//! it.
//!
//! ```text
//! program: call lookup ---> lookup: call X   ---> X: jmp called ---> entry event
//!                             |     ^ site                            |
//!                             body <----------------------------------+
//! ```
//!
//! Invariants:
//! * **F1** One thread at a time changes code, and none while an object is being unmapped ([`turn`]).
//! * **F2** A site calls only what stays mapped for good ([`trampolines`]).
//! * **F3** What a site calls preserves every register, and the flags but those that are dead at a function's
//!   entry.
//! * **F4** Where anything is not as it should be, sites are disabled and not touched again.

mod call;
mod called;
pub(crate) mod callers;
mod commands;
mod common_case;
mod conversion;
mod files;
#[cfg(feature = "static_program")]
mod go_called;
pub(crate) mod graph;
mod in_body;
mod instruction_jump;
mod lasting_table;
pub(crate) mod library;
pub(crate) mod mcount;
mod moved_code;
mod moved_pages;
pub(crate) mod moved_site;
mod objects;
mod off;
mod opened;
mod plain_probe;
mod probe_place;
mod probe_places;
mod probed;
mod probed_sites;
mod probes;
pub(crate) mod quick;
mod reference_counters;
mod register_words;
mod remote;
mod repeats;
mod replaced_instruction;
mod replaced_instructions;
mod saved_probe;
mod search;
mod self_test;
mod site_entry;
mod sites;
mod system_call_table;
mod system_called;
mod system_calls;
mod traced_site;
mod trampolines;
mod turn;
mod unnamed;
mod update;
mod wanted;
mod wishes;

pub(crate) use called::{record, record_moved, record_moved_in_body};
#[cfg(feature = "static_program")]
pub(crate) use go_called::{WITHIN_BEFORE, record_go};
pub(crate) use graph::{real_caller, show_callers};
pub(crate) use in_body::record_in_body;
pub(crate) use library::{OPEN_REAL, has_opened};
pub(crate) use probed::record_anywhere;
pub(crate) use remote::update_remotely;
pub(crate) use system_called::{
    ARE_SEEN, record_system_call, record_system_call_enter, record_system_call_exit,
};
pub(crate) use update::{DONE, WANTED, attach_again, bind, detach, forget_session, keep_up, start};

/// Lets a thread end that may have loaded libraries, and may have call slots.
pub(crate) fn thread_ends() {
    opened::thread_ends();
    graph::thread_ends();
}

/// In a copy of the process.
pub(crate) fn copied() {
    turn::copied();
    opened::copied();
}
