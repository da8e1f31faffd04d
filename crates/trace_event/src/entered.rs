//! Who records.

use crate::own_stack::{is_known_on_own_stack, is_on_own_stack};
use crate::shared::SharedSession;
use crate::{current, thread};
use ring_buffer::WriterThread;
use rustix::thread::gettid;

/// What a function that keeps a frame pointer has on the stack, where rbp points: its caller's rbp, and the
/// address that it returns to.
pub type FrameRecord = [u64; 2];

/// The call that an event is of.
#[derive(Debug, Clone, Copy)]
pub struct CallRecord {
    /// What the function that was called has on the stack.
    pub frame: *const FrameRecord,
    /// When it was called, or returns: a reading of [`call_time`](crate::call_time).
    pub time: u64,
}

/// The calling thread, about to record.
#[derive(Debug, Clone, Copy)]
pub struct Entered {
    common: u64,
}

/// The calling thread, which has recorded before in the session that the process is attached to, under the
/// TID that libc has. Its words are not [aside](crate::ThreadState::aside), and the session is there.
#[derive(Debug, Clone, Copy)]
pub struct KnownThread(Entered);

impl KnownThread {
    /// The thread, about to record.
    #[inline(always)]
    pub fn entered(self) -> Entered {
        self.0
    }
}

/// Finds out who the calling thread is. None when the process is not attached, and where it can't be found
/// out.
///
/// Cost: some loads; at a thread's first event its entry into the session's table.
/// Async-signal-safe.
#[inline(always)]
pub fn enter() -> Option<Entered> {
    enter_known().map(KnownThread::entered).or_else(enter_slowly)
}

/// As [`enter`], of a thread that is known: None of any other. Nothing is called for it.
///
/// Cost: six loads. Async-signal-safe.
#[inline(always)]
pub fn enter_known() -> Option<KnownThread> {
    thread::known_by_libc().map(|common| KnownThread(Entered::of(common)))
}

#[cold]
#[inline(never)]
fn enter_slowly() -> Option<Entered> {
    let start = || current::shared().and_then(thread::start);
    thread::known().or_else(start).map(Entered::of)
}

/// As [`enter`], in code that libc may run in a child that shares its maker's memory and words, which nobody
/// has set aside: posix_spawn(3) makes such children, and gives them another stack. None there, and an event
/// counted: the child has no buffer that it may write to.
///
/// Cost: some loads; a system call on a stack that neither libc nor the kernel has made, as of a coroutine.
/// Async-signal-safe.
#[inline]
pub fn enter_in_libc() -> Option<Entered> {
    let entered = enter()?;
    if is_on_own_stack() || is_running(entered) { Some(entered) } else { None }
}

/// As [`enter_in_libc`], of a thread that has recorded before, on a stack that is known: None of any other.
/// Nothing is called for it.
#[inline(always)]
pub fn enter_known_in_libc() -> Option<KnownThread> {
    enter_known().filter(|_| is_known_on_own_stack())
}

/// Whether a thread is the one that runs here, as the kernel says.
#[cold]
fn is_running(entered: Entered) -> bool {
    let Some(shared) = current::shared() else { return false };
    let is_running = (shared.hooks.may_call)() && gettid().as_raw_nonzero().get() == entered.tid();
    if !is_running {
        shared.writer().count_unidentified();
    }
    is_running
}

impl Entered {
    /// The thread that has these common fields.
    #[inline(always)]
    pub(crate) fn of(common: u64) -> Entered {
        Entered { common }
    }

    /// The event's first word: its common fields.
    #[inline(always)]
    pub fn common(self, event: u16) -> u64 {
        self.common | u64::from(event)
    }

    /// The thread.
    pub fn tid(self) -> i32 {
        abi::common::pid(self.common)
    }

    /// Who writes. Made for each write: a copy would have to wait until what was just stored is in the cache.
    #[inline(always)]
    pub(crate) fn thread(self, shared: &SharedSession) -> WriterThread {
        let identity = self.common >> 32 | shared.pid_namespace() << 32;
        WriterThread { area: thread::area(shared), identity }
    }
}
