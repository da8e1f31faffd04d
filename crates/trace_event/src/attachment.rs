//! How a process is attached to a session: what it has to say, and what it learns.

use control::ProcessStatus;
use core::ffi::CStr;
use core::ops::Range;
use shm::{Errno, Stat};

/// How a process is to be attached to a session.
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
    /// The process's name, with zeros after it.
    pub comm: [u8; 16],
    /// The process, where the calling thread may be another than its first one.
    pub pid: Option<u32>,
    /// The inode of its pid namespace, where that is known.
    pub pid_namespace: Option<u64>,
    /// Where libc keeps a thread's TID, counted from the thread pointer. That is how a thread learns who it
    /// is without asking the kernel, which a sandbox may forbid, and how it notices that it was forked.
    pub tid_offset: isize,
    /// What to call when something has happened that the caller may want to act on.
    pub hooks: Hooks,
}

/// What is called when something has happened.
#[derive(Debug, Clone, Copy)]
pub struct Hooks {
    /// The calling thread has been entered: from now on its end matters.
    pub thread_started: fn(),
    /// The thread whose words the calling thread has found has ended: these words are about to be the calling
    /// thread's. Only where nobody says that threads end.
    pub thread_replaced: fn(),
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
    /// How many bytes from an address on can be read, up to so many. Async-signal-safe.
    pub readable: fn(*const u8, usize) -> usize,
    /// Has the addresses that functions return to stand in this part of the calling thread's stack, or no
    /// longer: what stands in for some of them, meanwhile. Async-signal-safe.
    pub show_callers: fn(Range<usize>, bool),
    /// Which process this is, where it may have been forked by a call that was under way when its parent was
    /// attached: nobody has seen that. Asked for each thread that records for the first time; None where each
    /// fork is seen. Async-signal-safe.
    pub pid: fn() -> Option<u32>,
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
    /// Its name, with zeros after it.
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
    Buffer(ring_buffer::UnusableBuffer),
    /// The session was made by a lookback with other events.
    OtherAgent,
}

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

/// A stack that was made for a thread.
#[derive(Debug, Clone)]
pub struct OwnStack {
    /// Where it starts and ends.
    pub range: Range<usize>,
    /// Whether it is sure that all of it can be read as the thread starts, because libc or the kernel has
    /// mapped it.
    pub is_sure: bool,
}
