//! Making processes by fork(3), and threads.
//!
//! The event that says so is recorded by the new one, see [`attach::record_fork`].
//!
//! # Safety
//!
//! Functions that take the place of libc's have the contract of the calls that they stand for: what the
//! program hands over is passed on as it is. Others are called by these, with what the kernel or libc has
//! filled in.

use crate::preload::frame::{Frame, Hooks};
use crate::preload::real::real;
use crate::preload::stub::stub;
use crate::preload::{attach, objects, sandbox};
use core::arch::naked_asm;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};
use rustix::process::getpid;
use trace_event::{Parent, enter, is_enabled, session};

/// The calling thread, about to make a thread or a child; None when the process is not attached.
fn current() -> Option<Parent> {
    let session = session()?;
    Some(Parent { tid: enter()?.tid() as u32, comm: session.comm() })
}

/// fork(3). Its child must know that it is another process, whether anything is recorded or not.
pub(crate) const HOOKS: Hooks = Hooks { before: before_fork, after: after_fork };

unsafe fn before_fork(_: &mut Frame) {
    before_copy();
}

unsafe fn after_fork(frame: &mut Frame) {
    if frame.result as i32 == 0 {
        objects::copied();
        trace_event::forked(trace_event::tid_of_libc());
    }
}

/// Before the process is copied, by whatever call.
pub(crate) fn before_copy() {
    objects::prepare_copy();
    // The child tells by its parent's words who that was. A thread that has recorded nothing yet has none.
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
    objects::copied();
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

/// What a new thread needs to know, until it has started.
struct Start {
    taken: AtomicU32,
    content: UnsafeCell<StartContent>,
}

#[derive(Clone, Copy)]
struct StartContent {
    routine: Option<Routine>,
    argument: *mut c_void,
    parent: Option<Parent>,
}

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

// SAFETY: the content belongs to who has taken the place, then to the thread that it was given to.
unsafe impl Sync for Start {}

/// Places for threads that are just starting. One more that starts meanwhile has no event, and follows
/// nobody.
#[unsafe(link_section = ".bss.lookback_large_starts")]
static STARTS: [Start; 64] = [const {
    let content = StartContent { routine: None, argument: core::ptr::null_mut(), parent: None };
    Start { taken: AtomicU32::new(0), content: UnsafeCell::new(content) }
}; 64];

/// pthread_create(3).
pub(crate) const CREATE: Hooks = Hooks { before: before_create, after: after_create };

/// Has our routine run before the program's own.
unsafe fn before_create(frame: &mut Frame) {
    let [_, _, routine, argument, ..] = &mut frame.arguments;
    // SAFETY: that is what a program hands over here; null is none.
    let own = unsafe { core::mem::transmute::<u64, Option<Routine>>(*routine) };
    frame.scratch = 0;
    if let Some(start) = own.and_then(|own| take_start(own, *argument as *mut c_void)) {
        *routine = started as *const () as u64;
        *argument = (&raw const *start).expose_provenance() as u64;
        frame.scratch = *argument;
    }
}

/// A thread that there isn't has no start.
unsafe fn after_create(frame: &mut Frame) {
    if frame.result as i32 != 0 && frame.scratch != 0 {
        // SAFETY: it was put there before.
        let start = unsafe { &*core::ptr::with_exposed_provenance::<Start>(frame.scratch as usize) };
        start.taken.store(0, Release);
    }
}

/// A place for a thread that is about to start, if its start is to be recorded, or a list of threads may have
/// to have it.
fn take_start(routine: Routine, argument: *mut c_void) -> Option<&'static Start> {
    if !is_enabled(crate::sched::FORK_ID) && !session()?.control().follows_any_forks() {
        return None;
    }
    let parent = Some(current()?);
    let start = STARTS.iter().find(|start| start.taken.compare_exchange(0, 1, AcqRel, Relaxed).is_ok())?;
    // SAFETY: the place is ours.
    unsafe { *start.content.get() = StartContent { routine: Some(routine), argument, parent } };
    Some(start)
}

/// The first function of a thread whose start is recorded. It jumps to the program's own: no frame of ours is
/// on the thread's stack, which exceptions and cancellation unwind to its end.
#[unsafe(naked)]
unsafe extern "C" fn started(_start: *mut c_void) -> *mut c_void {
    naked_asm!(
        ".cfi_startproc",
        "sub rsp, 24",
        ".cfi_adjust_cfa_offset 24",
        "mov rsi, rsp",
        "call {begin}",         // rax: the routine; its argument at [rsp]
        "mov rdi, [rsp]",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        "jmp rax",
        ".cfi_endproc",
        begin = sym begin_thread,
    )
}

/// Records a thread's start and gives what it is to run.
unsafe extern "C" fn begin_thread(start: &Start, argument: &mut *mut c_void) -> Option<Routine> {
    // SAFETY: the place that `before_create` has filled for this thread.
    let content = unsafe { *start.content.get() };
    start.taken.store(0, Release);
    if let Some(parent) = content.parent {
        if let (Some(session), Some(entered)) = (session(), enter()) {
            session.control().pid_forked(parent.tid, entered.tid() as u32);
        }
        attach::record_fork(parent);
    }
    *argument = content.argument;
    content.routine
}

/// Has the session know a thread by its new name.
fn rename(name: *const u8) {
    let Some(session) = session() else { return };
    if enter().is_none() {
        return;
    }
    let mut comm = [0; 16];
    for (index, to) in comm.iter_mut().take(15).enumerate() {
        // SAFETY: libc or the kernel has read the name up to its zero byte.
        *to = unsafe { *name.add(index) };
        if *to == 0 {
            break;
        }
    }
    session.rename(comm);
}

unsafe extern "C" fn setname_body(thread: usize, name: *const u8, _caller: usize) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(usize, *const u8) -> i32 =
        unsafe { core::mem::transmute(real!(c"pthread_setname_np")) };
    // SAFETY: the program's own call.
    let error = unsafe { real(thread, name) };
    // SAFETY: always allowed.
    if error == 0 && thread == unsafe { libc::pthread_self() } as usize {
        rename(name);
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
        true => sandbox::installing(call, |result| result == 0),
        false => call(),
    };
    if result == 0 && option == libc::PR_SET_NAME {
        rename(second as *const u8);
    }
    result
}

stub!(prctl, prctl_body, option second third fourth fifth);
