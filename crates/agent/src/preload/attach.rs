//! The start of the agent in a process.

use crate::argument::Value;
use crate::preload::{environment, exit, objects, record, stack, symbols};
use crate::{FINGERPRINT, sched};
use control::ControlFile;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use core::sync::atomic::{AtomicI32, AtomicU32};
use libc::getauxval;
use rustix::process::getpriority_process;
use trace_event::{AttachError, Attached, Attachment, Hooks, Parent, find_tid_offset, session};

static STARTED: AtomicU32 = AtomicU32::new(0);

/// The name of lookback's own command.
const OWN_COMM: [u8; 16] = *b"lookback\0\0\0\0\0\0\0\0";

/// The process's nice value.
static NICE: AtomicI32 = AtomicI32::new(0);

/// Run by the dynamic linker, before the program's own constructors.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = {
    extern "C" fn init(_: c_int, _: *const *const c_char, _: *const *const c_char) {
        start();
    }
    init
};

/// Attaches the process to the session that its environment names. Done once; other libraries' constructors
/// may be quicker than ours, then the first call that they make does it.
///
/// If anything is not as it should be, the program runs as if we were not there.
pub(crate) fn start() {
    symbols::remember();
    // Before libc has started there is no environment, and whoever calls us then, it is too early.
    if environment::current().is_null() || STARTED.compare_exchange(0, 1, AcqRel, Relaxed).is_err() {
        return;
    }
    // SAFETY: libc's word for the calling thread, which is left as it was.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    if !is_privileged() && !is_own_command() {
        join(symbols::own_path());
    }
    // SAFETY: as above.
    unsafe { *errno = before };
}

/// Attaches the process, if its environment names a session. `object` is our own path.
fn join(object: &CStr) {
    let mut buffer = [0; environment::LONGEST_PATH];
    let Some(file) = environment::load(object, &mut buffer) else { return };
    match attach(file) {
        Ok(attached) => began(attached),
        Err(error) => environment::complain(describe(error)),
    }
}

/// Whether the process is lookback's own command: who looks at a recording is not part of it.
fn is_own_command() -> bool {
    comm_of(program()) == OWN_COMM
}

/// Whether the process has more rights than who started it: then the environment is not to be trusted.
fn is_privileged() -> bool {
    // SAFETY: always allowed.
    unsafe { getauxval(libc::AT_SECURE) != 0 }
}

fn attach(file: &CStr) -> Result<Attached, AttachError> {
    stack::ask_limit();
    trace_event::attach(&Attachment {
        file,
        agent: FINGERPRINT,
        comm: comm_of(program()),
        tid_offset: find_tid_offset().or_else(told_tid_offset).ok_or(AttachError::OtherLibc)?,
        hooks: Hooks { thread_started: exit::watch_thread, forked: record_fork, stack: stack::of_thread },
    })
}

/// The path that was executed, as it was given.
fn program() -> &'static CStr {
    // SAFETY: the kernel keeps the text on the stack, for good.
    unsafe {
        match getauxval(libc::AT_EXECFN) as usize as *const c_char {
            path if path.is_null() => c"",
            path => CStr::from_ptr(path),
        }
    }
}

/// The name that the kernel gives to a process which executes `path`.
fn comm_of(path: &CStr) -> [u8; 16] {
    let path = path.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let mut comm = [0; 16];
    for (to, from) in comm.iter_mut().zip(name.iter().take(15)) {
        *to = *from;
    }
    comm
}

/// Where glibc keeps a thread's TID: it tells debuggers, by a table of three words.
fn told_tid_offset() -> Option<isize> {
    const NAME: &[u8] = b"_thread_db_pthread_tid\0";
    let table = symbols::find_object(NAME, symbols::gnu_hash(NAME))? as *const [u32; 3];
    // SAFETY: glibc's constant: bits of the field, number of elements, offset in `struct pthread`, which
    // is where the thread pointer points.
    let [bits, elements, offset] = unsafe { table.read_unaligned() };
    (bits == 32 && elements == 1).then_some(offset as isize)
}

/// Enters what is mapped and records how the process came to be.
fn began(attached: Attached) {
    let Some(session) = session() else { return };
    objects::keep_up();
    if let Ok(nice) = getpriority_process(None) {
        NICE.store(nice, Relaxed);
    }
    exit::make_key();
    if !attached.was_known {
        let process = session.process().and_then(|process| session.control().process(process));
        let tid = process.map_or(0, |process| process.parent);
        record_fork(Parent { tid, comm: comm_of_parent(session.control(), tid) });
    }
    let pid = session.pid();
    let program = Value::Text(program().as_ptr().cast());
    // SAFETY: the path is on the stack for good.
    unsafe { record::write(sched::EXEC_ID, &[program, Value::Half(pid), Value::Half(pid)]) };
}

/// The name of a parent, as far as the session knows it.
fn comm_of_parent(control: &ControlFile, pid: u32) -> [u8; 16] {
    match control.find_process(pid) {
        Some(found) => found.comm,
        None if pid == control.identity().creator => OWN_COMM,
        None => *b"<...>\0\0\0\0\0\0\0\0\0\0\0",
    }
}

/// Records that `parent` has made the calling thread. As the kernel has it, it is the parent's event; but it
/// is the child that records it, so it comes before anything else that the child records.
pub(crate) fn record_fork(parent: Parent) {
    if !trace_event::is_enabled(sched::FORK_ID) {
        return;
    }
    let (Some(session), Some(entered)) = (session(), trace_event::enter()) else { return };
    let values = [
        Value::Text(parent.comm.as_ptr()),
        Value::Half(parent.tid),
        Value::Text(session.comm().as_ptr()),
        Value::Half(entered.tid() as u32),
    ];
    let common = abi::common::word(sched::FORK_ID, 0, 0, parent.tid as i32);
    // SAFETY: names end with a zero byte.
    unsafe { record::write_as(entered, common, &values) };
}

/// The priority that the kernel's events would give: 120 for a nice value of 0.
pub(crate) fn priority() -> i32 {
    120 + NICE.load(Relaxed)
}

fn describe(error: AttachError) -> &'static CStr {
    match error {
        AttachError::Attached => c"lookback: not attached: it already is\n",
        AttachError::OtherLibc => c"lookback: not attached: the C library is not a known one\n",
        AttachError::System(_) => c"lookback: not attached: the session can't be opened\n",
        AttachError::Control(_) => c"lookback: not attached: the session is not one of this version\n",
        AttachError::Buffer(_) => c"lookback: not attached: the buffer is not one of this version\n",
        AttachError::OtherAgent => c"lookback: not attached: the session was made by another lookback\n",
    }
}
