//! What is decided when a program calls `mcount` or `__fentry__`.
//!
//! ```text
//! program: call mcount --> is it known? --- yes ---> libc's mcount
//!                            | no                       ^
//!                            +-> note it --> traced? ---+ no
//!                                              | yes
//!                                              +-> entry event
//! ```
//!
//! The first question is asked in assembly (`arch/x86_64/mcount.rs`).

use super::traced_site::TracedSite;
use super::update::keep_up;
use super::{callers, objects};
use crate::preload::arch::{body_entry, function_entry};
use crate::preload::wrapper::real;
use core::ffi::CStr;
use core::sync::atomic::AtomicUsize;
use text_poke::Threads;
use trace_event::session;

/// libc's functions, once they were called.
pub(crate) static MCOUNT: AtomicUsize = AtomicUsize::new(0);
/// See [`MCOUNT`].
pub(crate) static FENTRY: AtomicUsize = AtomicUsize::new(0);

/// The function that a call of `mcount` is to go on with.
pub(crate) extern "C" fn mcount_called(returns_to: u64) -> usize {
    match is_traced(returns_to) {
        true => body_entry::called as *const () as usize,
        false => real_function(&MCOUNT, c"mcount"),
    }
}

/// The function that a call of `__fentry__` is to go on with.
pub(crate) extern "C" fn fentry_called(returns_to: u64) -> usize {
    match is_traced(returns_to) {
        true => function_entry::called as *const () as usize,
        false => real_function(&FENTRY, c"__fentry__"),
    }
}

fn real_function(found: &AtomicUsize, name: &CStr) -> usize {
    real::known(found, || name, false)
}

/// Whether the function with the call that returns to an address is traced. Its caller is noted, unless that
/// was done before, or a section lists it.
fn is_traced(returns_to: u64) -> bool {
    let site = || objects::calling(returns_to);
    let is_known = || objects::lists_calls(returns_to) || site().is_some_and(TracedSite::is_recorded);
    if session().is_none() || !is_known() {
        callers::note(returns_to);
    }
    keep_up(0, Threads::Running);
    site().is_some_and(TracedSite::is_wanted)
}
