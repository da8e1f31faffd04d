//! Has a thread of another process call a routine that the agent has for this: [`abi::remote`].
//!
//! One thread is stopped by ptrace(2), as debuggers do it, made to call the routine, and given back all that
//! it had. The others run on.
//!
//! # What the program doesn't notice
//!
//! * **R1** *Registers*: general, floating-point and vector ones, flags, and the pointers of segments are put
//!   back as they were. The routine has a stack of its own: nothing below the thread's stack pointer changes.
//! * **R2** *Signals*: all are blocked while the routine runs, and stay pending. The mask is put back.
//! * **R3** *System calls*: a stop ends the call that a thread sleeps in. The kernel makes most calls again
//!   by itself, with the time that is left; others return EINTR. There the thread is put back as if the
//!   kernel were to make those again, too, and the time that is left is put in place of the limit
//!   (`interrupted`). A thread that sleeps in a call of which nothing is known, or one that has perhaps done
//!   a part of its work, is not stopped. If a handler is to run, the call returns EINTR, as it does without a
//!   stop.
//! * **R4** *Restartable sequences*: a thread in one is left alone, and another or a later time is tried.
//!   With the routine's registers the kernel would forget the sequence, and not restart it.
//! * **R5** *The agent's own code*: a thread that is stopped there is left alone, too.
//! * **R6** *The end of the caller*: whoever is killed while a thread is in the routine leaves it its
//!   registers in a frame, from which the thread takes them back by itself. Calls that only the kernel can
//!   make again then return EINTR.
//! * **R7** *Stopped processes* (SIGSTOP) stay stopped.
//!
//! ```
//! use remote_call::Activity;
//!
//! // Whoever looks at itself runs.
//! assert_eq!(Activity::of(std::process::id()), Activity::Runs);
//! assert!(remote_call::call(u32::MAX, b"", std::time::Duration::ZERO).is_err(), "no such process");
//! ```
//!
//! What this crate is not: it knows no session, and it decides nothing about what the routine does.
//!
//! # Safety
//!
//! `unsafe` is in `mapper.rs`, which reads bytes of this program, and in `ptrace.rs`: system calls that work
//! on another process, with buffers of this one. What the other process's memory says is a number, and
//! checked as such.

mod activity;
mod agent_image;
mod call;
mod candidate;
mod filter;
mod frame;
mod frame_space;
mod go_thread;
mod handed;
mod handing;
mod interrupted;
mod libc_image;
mod load;
mod load_plan;
mod loading;
mod look;
mod mapper;
mod mapping;
mod process_filters;
mod ptrace;
mod refusal;
mod routine;
mod rseq;
mod session_use;
mod sleeping;
mod slept;
mod socket;
mod static_program;
mod stopped;
mod target;

pub use activity::Activity;
pub use call::{Called, call};
pub use filter::{FilterVerdict, NeededCall};
pub use handed::HandedDirectories;
pub use libc_image::{is_file_of_musl, is_of_musl};
pub use load::{detach, load};
pub use load_plan::{AgentFile, may_load};
pub use refusal::CallRefusal;
pub use static_program::is_static;
