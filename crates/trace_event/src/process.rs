//! The session that this process is attached to.

use crate::own_stack::OwnStack;
use crate::shared::Shared;
use crate::{buffers, recorder, thread};
use control::{ControlArea, ProcessStatus};
use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use shm::{Errno, Stat};

/// How a process takes part in a session.
#[derive(Debug, Clone, Copy)]
pub struct Attachment<'a> {
    /// The session's file.
    pub file: &'a CStr,
    /// fstat(2), as the libc of the process makes it.
    pub stat: Stat,
    /// The effective user of the process. A session of somebody else's is refused.
    pub user: u32,
    /// How many bytes of addresses the session may take.
    pub most_addresses: usize,
    /// Which events the caller has under fixed ids; the session's must be the same.
    pub agent: u64,
    /// The process's name, with zeros behind it.
    pub comm: [u8; 16],
    /// Where libc keeps a thread's TID, counted from the thread pointer. That is how a thread learns who it
    /// is without asking the kernel, which a sandbox may forbid, and how it notices that it was forked. The
    /// calling thread is the first one of the process.
    pub tid_offset: isize,
    /// What to call when something has happened that the caller may want to act on.
    pub hooks: Hooks,
}

/// What is called when something has happened.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// The calling thread has been entered: from now on its end matters.
    pub thread_started: fn(),
    /// The process has found that it was forked, by that parent.
    pub forked: fn(Parent),
    /// Says where the calling thread's stack is: asked once for each thread whose stack matters. It stays
    /// where it is for as long as the thread lives. None where that isn't known. Async-signal-safe.
    pub stack: fn() -> Option<OwnStack>,
    /// Whether the kernel may be asked what can be read. Async-signal-safe.
    pub may_ask: fn() -> bool,
    /// Whether the page with an address can be read, as the kernel says; only where that may be asked.
    /// Async-signal-safe.
    pub is_there: fn(usize) -> bool,
    /// Says where the process comes from: asked if the session doesn't know it.
    pub origin: fn() -> Origin,
    /// Whether the process may make a system call that the program hasn't asked for: no filter can punish it.
    /// Async-signal-safe.
    pub may_call: fn() -> bool,
    /// Whether more of the session may be mapped here and now: by such a system call, not in a handler of a
    /// signal, and where the program has enough addresses. Async-signal-safe.
    pub may_map: fn() -> bool,
}

/// Where a process comes from that no traced one has made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin {
    /// Its parent; 0 where that isn't known.
    pub parent: u32,
    /// What it was given.
    pub status: ProcessStatus,
}

/// The thread that has forked this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// Its TID.
    pub tid: u32,
    /// Its name, with zeros behind it.
    pub comm: [u8; 16],
}

/// Why a process is not attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachError {
    /// It already is.
    Attached,
    /// The session's file belongs to somebody else.
    Foreign,
    /// It takes more addresses than the process may have; holds how many bytes.
    TooLarge(u64),
    /// The session's file can't be opened or mapped.
    System(Errno),
    /// It is not one of ours.
    Control(control::Unusable),
    /// Its buffer is not one of ours.
    Buffer(ring_buffer::Unusable),
    /// The session was made by a lookback with other events.
    OtherAgent,
}

/// The session. Filled once, before `FILLED` is set.
struct Cell(UnsafeCell<MaybeUninit<Shared>>);

// SAFETY: written once by who has moved `FILLED` from EMPTY to FILLING, read after it is FULL.
unsafe impl Sync for Cell {}

static SHARED: Cell = Cell(UnsafeCell::new(MaybeUninit::uninit()));
static FILLED: AtomicU32 = AtomicU32::new(EMPTY);
const EMPTY: u32 = 0;
const FILLING: u32 = 1;
const FULL: u32 = 2;
const LEFT: u32 = 3;

/// What a process that is attached learns of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attached {
    /// Whether the session knew the process: it was forked by a traced one and has executed a program.
    pub was_known: bool,
    /// What the process was given.
    pub status: ProcessStatus,
    /// Pages of addresses by which its hard limit was raised before it was executed.
    pub limit_raised: u32,
}

/// Attaches the process to a session: maps its file, closes it again, enters the process. From here on
/// events that are on are recorded. If the session knows the process, that takes no system calls but those
/// by which the dynamic linker has loaded the caller: a filter that the process was started with allows
/// them.
///
/// Not async-signal-safe. Cost: five system calls and some page faults.
///
/// # Safety
///
/// `stat` has the contract of fstat(2), and at `tid_offset` libc keeps the TIDs of threads.
pub unsafe fn attach(attachment: &Attachment<'_>) -> Result<Attached, AttachError> {
    if FILLED.compare_exchange(EMPTY, FILLING, AcqRel, Relaxed).is_err() {
        return Err(AttachError::Attached);
    }
    let shared = Shared::open(attachment).inspect_err(|_| FILLED.store(EMPTY, Release))?;
    thread::use_tid_offset(attachment.tid_offset);
    // SAFETY: nobody else is between EMPTY and FULL.
    let shared = unsafe { (*SHARED.0.get()).write(shared) };
    let was_known = shared.enter_process(thread::libc_tid());
    let entered = shared.process().and_then(|entry| shared.control.process(entry));
    if let Some(process) = entered.filter(|_| !was_known) {
        shared.control.pid_forked(process.parent, process.pid);
    }
    FILLED.store(FULL, Release);
    recorder::use_enabled_words(shared.control.enabled_words());
    let (status, limit_raised) =
        entered.map_or_else(Default::default, |process| (process.status, process.limit_raised));
    Ok(Attached { was_known, status, limit_raised })
}

/// Ends the process's part in the session, for good: for when it is about to lose what recording needs. Its
/// end is noticed by others. What it has mapped stays, another thread may be using it.
pub fn leave() {
    if FILLED.compare_exchange(FULL, LEFT, AcqRel, Relaxed).is_ok() {
        recorder::use_no_words();
    }
}

/// The session, if there is one.
#[inline(always)]
pub(crate) fn shared() -> Option<&'static Shared> {
    if FILLED.load(Acquire) != FULL {
        return None;
    }
    // SAFETY: it was filled before.
    Some(unsafe { (*SHARED.0.get()).assume_init_ref() })
}

/// The session that this process takes part in.
#[derive(Debug, Clone, Copy)]
pub struct AttachedSession {
    shared: &'static Shared,
}

/// The session that this process takes part in, if it does. Async-signal-safe.
pub fn session() -> Option<AttachedSession> {
    Some(AttachedSession { shared: shared()? })
}

impl AttachedSession {
    /// The session's control area.
    pub fn control(self) -> &'static ControlArea {
        &self.shared.control
    }

    /// This process's entry, if it has one.
    pub fn process(self) -> Option<u32> {
        self.shared.process()
    }

    /// This process.
    pub fn pid(self) -> u32 {
        self.shared.pid()
    }

    /// Has core dumps of the process leave out what it has mapped of the session. Cost: two system calls.
    pub fn leave_out_of_dumps(self) {
        self.control().leave_out_of_dumps();
        self.shared.writer().buffer().leave_out_of_dumps();
    }

    /// The addresses that the process has mapped of the session.
    pub fn mapped(self) -> impl Iterator<Item = Range<usize>> {
        buffers::mapped(self.shared)
    }

    /// Now, in the buffer's clock.
    pub fn now(self) -> u64 {
        self.shared.now()
    }

    /// The calling thread's name.
    pub fn comm(self) -> [u8; 16] {
        self.shared.thread_comm()
    }

    /// The first thread's name.
    pub fn process_comm(self) -> [u8; 16] {
        self.shared.comm()
    }

    /// Says that the process which the calling thread is in, or a child in its memory, is about to execute
    /// another program, or that this has failed.
    pub fn set_executing(self, executes: bool) {
        let entry = match thread::is_aside() {
            true => thread::child_entry(self.shared),
            false => self.process(),
        };
        if let Some(entry) = entry {
            self.control().set_executing(entry, executes);
        }
        thread::child_in_memory(!executes);
    }

    /// Gives the calling thread another name.
    pub fn rename(self, comm: [u8; 16]) {
        match (thread::current_task(), self.process()) {
            (Some(task), _) => self.control().rename_task(task, comm),
            (None, Some(process)) => self.control().rename_process(process, comm),
            (None, None) => {}
        }
    }
}
