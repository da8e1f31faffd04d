//! The start of the agent in a process.

use crate::preload::execute::arguments::{self, ArgumentsText};
use crate::preload::execute::environment;
use crate::preload::function;
use crate::preload::memory::{address_limit, readable, stack};
use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, image, mapped, symbols};
use crate::preload::process::birth::record_fork;
use crate::preload::process::{origin, priority, sandbox, status, tid_place};
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::signal::{blocked, fatal, running};
use crate::preload::thread::end;
use core::ffi::{CStr, c_char, c_int};
use core::mem::transmute;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use events::{FINGERPRINT, sched};
use ring_buffer::ClockGettime;
use shm::Stat;
use trace_event::{AttachError, Attached, AttachedSession, Attachment, Hooks, Parent, session};

static STARTED: AtomicU32 = AtomicU32::new(0);

/// The name of lookback's own command.
const OWN_COMM: [u8; 16] = *b"lookback\0\0\0\0\0\0\0\0";

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
    if !borrowed::is_there() {
        return;
    }
    symbols::remember();
    // Then somebody else says which session it is.
    if symbols::are_late() {
        return;
    }
    // Before libc has started there is no environment, and whoever calls us then, it is too early. Another
    // thread than the first can't tell which process this is; the first one comes by here in any case.
    let is_early = environment::current().is_null() || !stack::is_of_first_thread();
    if is_early || STARTED.compare_exchange(0, 1, AcqRel, Relaxed).is_err() {
        return;
    }
    // SAFETY: libc's word for the calling thread, which is left as it was.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: libc's word for the calling thread.
    let before = unsafe { *errno };
    if borrowed::is_known() && !is_privileged() && !is_own_command() {
        join(symbols::own_path());
    }
    // SAFETY: libc's word for the calling thread.
    unsafe { *errno = before };
}

/// Attaches the process, if its environment names a session. `object` is our own path.
fn join(object: &CStr) {
    let mut buffer = [0; abi::control::LONGEST_PATH];
    let Some(file) = environment::load(object, &mut buffer) else { return };
    let published = tid_place::published();
    let Some(tid_offset) = published.or_else(tid_place::usual) else {
        return environment::complain(c"lookback: not attached: the C library is not a known one\n");
    };
    // To ask for its limits is what libc does, too, when it starts; but not musl, nor a glibc that knows
    // nothing of threads.
    let may_ask = published.is_some() || origin::read().is_some_and(|status| status.has_no_filter);
    let limit = may_ask.then(address_limit::attaching);
    let most_addresses = limit.as_ref().map_or(usize::MAX, |limit| limit.most_addresses());
    read_clocks_by_libc();
    let attached = attach(file, tid_offset, most_addresses);
    if let Some(limit) = limit {
        limit.end(attached.ok().map(|attached| attached.limit_raised));
    }
    match attached {
        Ok(attached) => {
            if may_ask || attached.status.may_call() {
                stack::ask_limit();
            }
            settle(&attached, mapped::is_single_threaded());
            record_origin(&attached);
        }
        Err(error) => environment::complain(describe(error)),
    }
}

/// Whether the process is lookback's own command: who looks at a recording is not part of it.
fn is_own_command() -> bool {
    comm_of(image::program()) == OWN_COMM
}

/// Whether the process has more rights than who started it: then the environment is not to be trusted.
fn is_privileged() -> bool {
    borrowed::auxiliary(libc::AT_SECURE) != 0
}

/// Has clocks read by libc's own function: the one that calls from here lead to is our wrapper.
pub(crate) fn read_clocks_by_libc() {
    const NAME: SymbolName<'_> = SymbolName::new(b"clock_gettime\0");
    if let Some(found) = symbols::find_libc(NAME) {
        // SAFETY: the function has this type, and libc stays loaded.
        unsafe { ring_buffer::read_clocks_by(transmute::<usize, ClockGettime>(found)) };
    }
}

/// Attaches the process, if the session takes at most so many bytes of addresses.
fn attach(file: &CStr, tid_offset: isize, most_addresses: usize) -> Result<Attached, AttachError> {
    let attachment = Attachment { most_addresses, ..attachment(file, tid_offset) };
    // SAFETY: that is fstat(2), and libc keeps TIDs there.
    unsafe { trace_event::attach(&attachment) }
}

/// How the process is attached, by what the kernel has said to it when it started.
pub(crate) fn attachment(file: &CStr, tid_offset: isize) -> Attachment<'_> {
    Attachment {
        file,
        stat: stat(),
        user: borrowed::auxiliary(libc::AT_EUID) as u32,
        most_addresses: usize::MAX,
        agent: FINGERPRINT,
        comm: comm_of(image::program()),
        pid: None,
        pid_namespace: None,
        tid_offset,
        hooks: Hooks {
            thread_started: || {
                end::watch_thread();
                blocked::find_out();
            },
            thread_replaced: function::thread_ends,
            forked: |parent| {
                mapped::found_copied();
                record_fork(parent);
            },
            stack: stack::of_thread,
            may_ask: readable::may_ask,
            is_there: readable::is_there,
            readable: readable::readable,
            show_callers: function::show_callers,
            pid: || None,
            origin: origin::origin,
            may_call: || !sandbox::may_be_there(),
            may_map: || !sandbox::may_be_there() && !running::is_running() && !address_limit::are_set(),
        },
    }
}

/// libc's fstat(2), under the name that it has had since glibc 2.33, or before.
fn stat() -> Stat {
    const OLD_NAME: SymbolName<'_> = SymbolName::new(b"__fxstat\0");
    /// # Safety
    ///
    /// As for fstat(2).
    unsafe extern "C" fn old(descriptor: c_int, status: *mut libc::stat) -> c_int {
        type Versioned = unsafe extern "C" fn(c_int, c_int, *mut libc::stat) -> c_int;
        const VERSION: c_int = 1;
        let Some(found) = symbols::find_libc(OLD_NAME) else { return -1 };
        // SAFETY: the function has this type; the caller's promise.
        unsafe { transmute::<usize, Versioned>(found)(VERSION, descriptor, status) }
    }
    match symbols::find_libc(SymbolName::new(b"fstat\0")) {
        // SAFETY: the function has this type.
        Some(found) => unsafe { transmute::<usize, Stat>(found) },
        None => old,
    }
}

/// The name that the kernel gives to a process which executes `path`.
pub(crate) fn comm_of(path: &CStr) -> [u8; 16] {
    let path = path.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let mut comm = [0; 16];
    for (to, from) in comm.iter_mut().zip(name.iter().take(15)) {
        *to = *from;
    }
    comm
}

/// Enters what is mapped, and looks for functions to trace. Whether the caller `is_alone` in the process, and
/// where it is no function is entered.
pub(crate) fn settle(attached: &Attached, is_alone: bool) {
    let Some(session) = session() else { return };
    if attached.status.may_call() {
        sandbox::was_none();
        session.leave_out_of_dumps();
        fatal::install();
        status::watch();
    }
    priority::remember(attached.status.nice().into());
    image::remember_program();
    // Before the thread forks: its child knows by that who made it.
    let _ = trace_event::enter();
    mapped::keep_up();
    end::make_key();
    function::start(is_alone);
}

/// Records how the process came to be.
fn record_origin(attached: &Attached) {
    let Some(session) = session() else { return };
    if !attached.was_known {
        let process = session.process().and_then(|process| session.control().process(process));
        let tid = process.map_or(0, |process| process.parent);
        let parent = session.find_process(tid);
        if !parent.is_some_and(|parent| session.control().has_recorded_its_start(session.pid(), &parent)) {
            record_fork(Parent { tid, comm: comm_of_parent(session, tid) });
        }
    }
    record_exec(session.pid());
}

/// Records the program that the process executes.
fn record_exec(pid: u32) {
    /// Bytes for the path, at least, and for the arguments: each with a zero byte, up to a multiple of 8.
    const SPACE: usize = 8 * record::WORDS - sched::EXEC.fixed_size();
    let path = image::program();
    let for_path = (path.count_bytes() + 1).next_multiple_of(8).min(SPACE / 2);
    // SAFETY: it is on the stack for good.
    let arguments = unsafe { ArgumentsText::copy_own(arguments::own().addr(), SPACE - for_path - 1) };
    let pid = FieldValue::Half(pid);
    let values = [FieldValue::text(path.as_ptr().cast()), pid, pid, FieldValue::bytes(arguments.as_bytes())];
    // SAFETY: the path is on the stack for good.
    unsafe { record::write(sched::EXEC_ID, &values) };
}

/// The name of a parent, as far as the session knows it.
fn comm_of_parent(session: AttachedSession, pid: u32) -> [u8; 16] {
    let creator = session.control().identity();
    match session.find_process(pid) {
        Some(found) => found.comm,
        None if pid == creator.creator && session.pid_namespace() == creator.pid_namespace => OWN_COMM,
        None => *b"<...>\0\0\0\0\0\0\0\0\0\0\0",
    }
}

fn describe(error: AttachError) -> &'static CStr {
    match error {
        AttachError::Attached => c"lookback: not attached: it already is\n",
        AttachError::Foreign => c"lookback: not attached: the session belongs to somebody else\n",
        AttachError::TooLarge(_) => c"lookback: not attached: the process may have too few addresses\n",
        AttachError::System(_) => c"lookback: not attached: the session can't be opened\n",
        AttachError::Control(_) => c"lookback: not attached: the session is not one of this version\n",
        AttachError::Buffer(_) => c"lookback: not attached: the buffer is not one of this version\n",
        AttachError::OtherAgent => c"lookback: not attached: the session was made by another lookback\n",
    }
}
