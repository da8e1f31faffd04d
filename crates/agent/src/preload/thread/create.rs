//! Making threads by pthread_create(3) and thrd_create(3).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::arch::stub::stub;
use crate::preload::arch::thread::started;
use crate::preload::thread::starts::{self, Routine, Start, StartSlot};
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::ffi::c_void;
use core::ptr::with_exposed_provenance;
use events::sched::FORK_ID;
use trace_event::{Parent, enter, is_enabled, session};

/// pthread_create(3).
pub(crate) const CREATE: CallHooks = CallHooks { before: before_create, after: after_create };

unsafe fn before_create(frame: &mut CallFrame) {
    let [_, _, routine, argument, ..] = &mut frame.arguments;
    frame.scratch = begin_with_us(routine, argument);
}

/// Has our routine run before the program's own, and gives where it finds that; 0 where it does not.
fn begin_with_us(routine: &mut u64, argument: &mut u64) -> u64 {
    // SAFETY: that is what a program hands over here; null is none.
    let own = unsafe { core::mem::transmute::<u64, Option<Routine>>(*routine) };
    let Some(place) = own.and_then(|own| take_place(own, *argument as *mut c_void)) else { return 0 };
    *routine = started as *const () as u64;
    *argument = (&raw const *place).expose_provenance() as u64;
    *argument
}

unsafe fn after_create(frame: &mut CallFrame) {
    if frame.result as i32 != 0 {
        has_not_started(frame.scratch);
    }
}

/// A thread that doesn't exist has no start.
fn has_not_started(place: u64) {
    if place != 0 {
        // SAFETY: it was put there before.
        starts::give_back(unsafe { &*with_exposed_provenance::<StartSlot>(place as usize) });
    }
}

/// thrd_create(3). Libc makes the thread, as it makes others, and calls its function as one that returns a
/// number.
unsafe extern "C" fn thrd_create_body(thread: usize, mut routine: u64, mut argument: u64, _: usize) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(usize, u64, u64) -> i32 =
        unsafe { core::mem::transmute(real!(c"thrd_create")) };
    let place = begin_with_us(&mut routine, &mut argument);
    // SAFETY: the program's own call.
    let result = unsafe { real(thread, routine, argument) };
    if result != 0 {
        has_not_started(place);
    }
    result
}

stub!(thrd_create, thrd_create_body, thread routine argument);

/// The calling thread, about to make another; None when the process is not attached.
fn current() -> Option<Parent> {
    let session = session()?;
    Some(Parent { tid: enter()?.tid() as u32, comm: session.comm() })
}

/// A place for a thread that is about to start, if its start is to be recorded, or a PID filter may have
/// to have it.
fn take_place(routine: Routine, argument: *mut c_void) -> Option<&'static StartSlot> {
    let control = session()?.control();
    if !is_enabled(FORK_ID) && !control.follows_any_forks() {
        return None;
    }
    let place = starts::take(Start { routine, argument, parent: current()? });
    if place.is_none() {
        control.count_unseen_start();
    }
    place
}
