//! Wrappers of libc's functions that are made from the table of calls, and the frame that they share.

pub(crate) mod frame;
pub(crate) mod real;
pub(crate) mod wrap;
mod write;
