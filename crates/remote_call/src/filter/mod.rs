//! Filters of system calls (seccomp): what a program may not do, what is made to happen in it may not either.
//!
//! A filter ends a program, or has a call fail, for what it doesn't allow; so each call that may be made in the
//! program without its asking has to be allowed, whatever its arguments are.

mod needed;
mod process_filters;
mod program;
mod thread_filters;

pub use needed::NeededCall;
pub(crate) use process_filters::obstacle;
pub use thread_filters::FilterVerdict;
