//! The instructions of the agent for x86-64.

pub(crate) mod body_entry;
pub(crate) mod call_slots;
pub(crate) mod clone;
pub(crate) mod frame;
pub(crate) mod function_entry;
#[cfg(feature = "static_program")]
pub(crate) mod go_entry;
pub(crate) mod linker;
pub(crate) mod listing;
mod long_jump;
pub(crate) mod mapped_apart;
pub(crate) mod mcount;
pub(crate) mod moved_entry;
pub(crate) mod opened;
pub(crate) mod probe_entry;
mod remote_entry;
mod resting;
pub(crate) mod routines;
mod saved_registers;
pub(crate) mod shadow_stack;
pub(crate) mod stub;
pub(crate) mod syscall;
pub(crate) mod system_call;
pub(crate) mod system_call_entry;
pub(crate) mod thread;
pub(crate) mod thread_pointer;
pub(crate) mod thunks;
pub(crate) mod valgrind;
pub(crate) mod vfork;
