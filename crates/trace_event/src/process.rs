//! The session that this process is attached to.

use crate::attachment::{AttachError, Attached, Attachment};
use crate::current::{self, Filling, shared};
use crate::governor::page_turned;
use crate::shared::SharedSession;
use crate::{buffers, enabled, given_names, libc_tid, thread};
use abi::control::Obstacle;
use control::{ControlArea, ProcessInfo};
use core::ops::Range;
use ring_buffer::current_cpu;
use rseq::Area;

/// Attaches the process to a session: maps its file, closes it again, enters the process. From here on
/// events that are on are recorded. If the session knows the process, that makes no system calls but those
/// by which the dynamic linker has loaded the caller: a filter that the process was started with allows
/// them.
///
/// Not async-signal-safe. Cost: eight system calls and some page faults.
///
/// # Safety
///
/// `stat` has the contract of fstat(2), and at `tid_offset` libc keeps the TIDs of threads.
pub unsafe fn attach(attachment: &Attachment<'_>) -> Result<Attached, AttachError> {
    let filling = Filling::begin().ok_or(AttachError::Attached)?;
    let shared = SharedSession::open(attachment, page_turned)?;
    libc_tid::use_tid_offset(attachment.tid_offset);
    #[cfg(feature = "table_of_threads")]
    // SAFETY: a word of the calling thread's.
    crate::thread_table::prepare(unsafe { &raw mut (*thread::thread_state()).aside });
    let shared = filling.put(shared);
    let was_known = shared.enter_process(attachment.pid.unwrap_or_else(libc_tid::libc_tid));
    let entered = shared.process().and_then(|entry| shared.control.process(entry));
    if let Some(process) = entered.filter(|_| !was_known) {
        shared.control.pid_forked(process.parent, process.pid);
    }
    filling.end();
    enabled::use_words(shared.control.enabled_words());
    let (status, limit_raised) =
        entered.map_or_else(Default::default, |process| (process.status, process.limit_raised));
    Ok(Attached { was_known, status, limit_raised })
}

/// Ends the process's part in the session, for good: for when it is about to lose what recording needs. Its
/// end is noticed by others. What it has mapped stays, another thread may be using it.
pub fn leave() {
    if current::leave() {
        enabled::use_no_words();
    }
}

/// Ends the process's part in the session, until it is attached [again]. What it has mapped stays, another
/// thread may be using it.
///
/// [again]: attach_again
pub fn detach() {
    let entry = shared().and_then(SharedSession::process);
    if let (Some(shared), true) = (shared(), current::detach()) {
        enabled::use_no_words();
        entry.inspect(|entry| shared.control.set_detached(*entry, true));
    }
}

/// How often the process was detached.
pub fn detached_times() -> u32 {
    current::detached_times()
}

/// Frees what the process has mapped of the session that it was detached from: it may be attached to another
/// one then.
///
/// # Safety
///
/// Since the process was detached, each of its threads has been where it uses nothing of a session: where
/// nothing of the recorder runs, and no function that a session was handed to.
pub unsafe fn free_session() {
    // SAFETY: the caller's promise.
    unsafe { current::free() }
}

/// What comes of attaching a process again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachedAgain {
    /// It is attached as it was before.
    Done,
    /// It was detached from another session.
    OtherSession,
    /// It is a copy of the process that was detached.
    Copied,
}

/// Attaches this process, `pid`, to the session with this number again, if it was detached before. None where
/// it was not.
pub fn attach_again(session: u64, pid: u32) -> Option<AttachedAgain> {
    let shared = current::detached()?;
    if shared.session != session {
        return Some(AttachedAgain::OtherSession);
    }
    if shared.pid() != pid {
        return Some(AttachedAgain::Copied);
    }
    if let Some(entry) = shared.process() {
        shared.control.set_detached(entry, false);
    }
    current::found_again();
    enabled::use_words(shared.control.enabled_words());
    Some(AttachedAgain::Done)
}

/// The session that this process is attached to.
#[derive(Debug, Clone, Copy)]
pub struct AttachedSession {
    shared: &'static SharedSession,
}

/// The session that this process is attached to, if any. Async-signal-safe.
pub fn session() -> Option<AttachedSession> {
    Some(AttachedSession { shared: shared()? })
}

impl AttachedSession {
    /// Which session it is.
    pub fn number(self) -> u64 {
        self.shared.session
    }

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

    /// The inode of the pid namespace that it counts in; 0 where that isn't known.
    pub fn pid_namespace(self) -> u64 {
        self.shared.pid_namespace()
    }

    /// The process that has this number in the pid namespace that this one counts in, if it is entered.
    pub fn find_process(self, pid: u32) -> Option<ProcessInfo> {
        self.control().find_process_in(pid, self.pid_namespace())
    }

    /// What this process has made under a number, where it is known whose number that is.
    pub fn find_child(self, pid: u32) -> Option<ProcessInfo> {
        self.shared.find_child(pid)
    }

    /// Says that what this process makes from now on may count in another pid namespace.
    pub fn makes_elsewhere(self) {
        self.shared.makes_elsewhere();
    }

    /// Whether what this process makes may count in another pid namespace.
    pub fn is_making_elsewhere(self) -> bool {
        self.shared.namespace_of_children().is_none()
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

    /// Where the session's file has the lists of functions that instances trace.
    pub fn function_lists(self) -> Range<u64> {
        self.shared.layout.functions()
    }

    /// Where it has the profile of functions.
    pub fn profile(self) -> Range<u64> {
        self.shared.layout.profile()
    }

    /// The CPU that the calling thread is on, which may be another a moment later.
    #[inline]
    pub fn cpu(self) -> u32 {
        thread::area(self.shared).and_then(Area::cpu).unwrap_or_else(current_cpu)
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
    /// another program, of this name, which runs unrecorded if there is an obstacle.
    pub fn set_executing(self, name: [u8; 16], obstacle: Option<Obstacle>) {
        if let Some(entry) = self.executing_entry() {
            self.control().set_executing(entry, name, obstacle);
        }
        thread::child_in_memory(false);
    }

    /// Says that it could not execute that program.
    pub fn has_not_executed(self) {
        if let Some(entry) = self.executing_entry() {
            self.control().has_not_executed(entry);
        }
        thread::child_in_memory(true);
    }

    /// The entry of the process which the calling thread is in, or of a child in its memory.
    fn executing_entry(self) -> Option<u32> {
        match thread::is_aside() {
            true => thread::child_entry(self.shared),
            false => self.process(),
        }
    }

    /// Enters a child that this process has made to run a program unrecorded.
    pub fn enter_unrecorded(self, pid: u32, name: [u8; 16], obstacle: Obstacle) {
        self.shared.enter_unrecorded(pid, name, obstacle);
    }

    /// Gives the calling thread another name.
    pub fn rename(self, comm: [u8; 16]) {
        match (thread::current_task(), self.process()) {
            (Some(task), _) => self.control().rename_task(task, comm),
            (None, Some(process)) => self.control().rename_process(process, comm),
            (None, None) => {}
        }
    }

    /// Gives another thread of this process another name.
    pub fn rename_thread(self, tid: u32, comm: [u8; 16]) {
        if tid == self.pid() {
            if let Some(process) = self.process() {
                self.control().rename_process(process, comm);
            }
            return;
        }
        given_names::put(tid, comm);
        if let Some(task) = self.control().find_task_entry(tid, self.process()) {
            let _ = given_names::take(tid);
            self.control().rename_task(task, comm);
        }
    }
}
