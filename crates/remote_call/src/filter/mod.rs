//! Filters of system calls (seccomp): what a program may not do, what is made to happen in it may not either.
//!
//! A filter ends a program, or has a call fail, for what it doesn't allow; so each call that may be made in
//! the program without its asking has to be allowed, whatever its arguments are.

mod needed;
mod program;
mod thread_filters;
mod verdict;

pub use needed::NeededCall;
pub(crate) use thread_filters::{before_stop, has_filters, of_stopped};
pub use verdict::FilterVerdict;
