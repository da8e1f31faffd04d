//! Making processes by fork(3), and names of threads.
//!
//! The event that says so is recorded by the new one, see [`attach::record_fork`].
//!
//! # Safety
//!
//! Functions that take the place of libc's have the contract of the calls that they stand for: what the
//! program hands over is passed on as it is. Others are called by these, with what the kernel or libc has
//! filled in.

use crate::preload::arch::stub::stub;
use crate::preload::arch::thread_pointer::thread_pointer;
use crate::preload::function;
use crate::preload::memory::readable::readable;
use crate::preload::object::mapped;
use crate::preload::process::{late, sandbox};
use crate::preload::signal::fatal;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::ptr::with_exposed_provenance;
use rustix::process::getpid;
use trace_event::{enter, session, tid_offset};

/// fork(3). Its child must know that it is another process, whether anything is recorded or not.
pub(crate) const HOOKS: CallHooks = CallHooks { before: before_fork, after: after_fork };

unsafe fn before_fork(_: &mut CallFrame) {
    before_copy();
}

unsafe fn after_fork(frame: &mut CallFrame) {
    if frame.result as i32 == 0 {
        mapped::copied();
        function::copied();
        late::copied();
        trace_event::forked(trace_event::tid_of_libc());
    }
}

/// Before the process is copied, by whatever call.
pub(crate) fn before_copy() {
    mapped::prepare_copy();
    // The child knows by its parent's words who that was. A thread that has recorded nothing yet has none.
    let _ = enter();
}

/// The number that stands for a child which won't be able to ask who it is; 0 where it will.
pub(crate) fn placeholder() -> u32 {
    let session = session().filter(|_| sandbox::may_be_there());
    session.map_or(0, |session| session.control().new_placeholder())
}

/// In a copy that libc has not made: it has its parent's TID in its descriptor. With the placeholder that
/// it was given.
pub(crate) fn in_copy(placeholder: u32) {
    mapped::copied();
    function::copied();
    late::copied();
    let pid = match placeholder {
        0 => getpid().as_raw_nonzero().get() as u32,
        number => number,
    };
    trace_event::forked(pid);
}

/// In who has made a child, once the call has returned its PID: says whom the placeholder stands for.
pub(crate) fn made(placeholder: u32, child: i32) {
    if let Some(session) = session().filter(|_| placeholder != 0 && child > 0) {
        let control = session.control();
        control.resolve_placeholder(placeholder, child as u32, session.process(), session.now());
        if let Some(process) = control.find_process(placeholder) {
            control.end_process(process.entry, session.now());
        }
    }
}

/// The thread `thread` of libc's, if it can be read there.
fn tid_of(thread: usize) -> Option<u32> {
    let place = with_exposed_provenance::<u32>(thread).wrapping_byte_offset(tid_offset());
    // It may have ended since libc has looked there, and be gone.
    let is_there = readable(place.cast(), size_of::<u32>()) == size_of::<u32>();
    // SAFETY: it can be read.
    is_there.then(|| unsafe { place.read_volatile() }).filter(|tid| *tid as i32 > 0)
}

/// Has the session know the calling thread, or another, by its new name.
///
/// # Safety
///
/// The name has been read up to its zero byte.
unsafe fn rename(other: Option<u32>, name: *const u8) {
    let Some(session) = session() else { return };
    if enter().is_none() {
        return;
    }
    let mut comm = [0; 16];
    for (index, to) in comm.iter_mut().take(15).enumerate() {
        // SAFETY: the caller's promise.
        *to = unsafe { *name.add(index) };
        if *to == 0 {
            break;
        }
    }
    match other {
        Some(tid) => session.rename_thread(tid, comm),
        None => session.rename(comm),
    }
}

unsafe extern "C" fn setname_body(thread: usize, name: *const u8, _caller: usize) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(usize, *const u8) -> i32 =
        unsafe { core::mem::transmute(real!(c"pthread_setname_np")) };
    // SAFETY: the program's own call.
    let error = unsafe { real(thread, name) };
    let is_own = thread == thread_pointer();
    let other = if error == 0 && !is_own { tid_of(thread) } else { None };
    if error == 0 && (is_own || other.is_some()) {
        // SAFETY: libc has read it.
        unsafe { rename(other, name) };
    }
    error
}

stub!(pthread_setname_np, setname_body, thread name);

/// Whether prctl(2) is to take the time stamp counter away: who reads it gets SIGSEGV then. The strictest
/// filter of system calls has the same effect.
pub(crate) fn takes_clock(option: i32, value: usize) -> bool {
    let no_clock = option == libc::PR_SET_TSC && value == libc::PR_TSC_SIGSEGV as usize;
    no_clock || option == libc::PR_SET_SECCOMP && value == libc::SECCOMP_MODE_STRICT as usize
}

type Prctl = unsafe extern "C" fn(i32, usize, usize, usize, usize) -> i32;

unsafe extern "C" fn prctl_body(
    option: i32,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    _caller: usize,
) -> i32 {
    // SAFETY: the function has this type.
    let real: Prctl = unsafe { core::mem::transmute(real!(c"prctl")) };
    if takes_clock(option, second) {
        trace_event::leave();
    }
    // SAFETY: the program's own call.
    let call = || unsafe { real(option, second, third, fourth, fifth) };
    let result = match option == libc::PR_SET_SECCOMP {
        true => fatal::installing_filter(call, |result| result == 0),
        false => call(),
    };
    if result == 0 && option == libc::PR_SET_NAME {
        // SAFETY: the kernel has read it.
        unsafe { rename(None, second as *const u8) };
    }
    result
}

stub!(prctl, prctl_body, option second third fourth fifth);
