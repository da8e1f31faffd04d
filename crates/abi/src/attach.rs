//! What the agent is told when it is brought into a process that runs already, and what it says.
//!
//! The command maps memory in the process and puts an [`AttachRequest`] there. One thread of the process has
//! the dynamic linker load the agent, then calls the agent's routine with the request: as that of
//! [`crate::remote`] is called, with a frame of rt_sigreturn(2) at its stack pointer. When it is done, it
//! waits in rt_sigtimedwait(2) until it is stopped: that call leaves nothing in the kernel, where something
//! may be of the call that the thread was in before.

use crate::control::LONGEST_PATH;

/// The symbol of the routine's first instruction.
pub const ATTACH_SYMBOL: &str = "lookback_attach_entry";

/// The symbol of the first instruction of the routine that does the opposite.
pub const DETACH_SYMBOL: &str = "lookback_detach_entry";

/// How many seconds the routine waits, at most.
pub const WAIT_SECONDS: u64 = 1;

/// Names of threads in a request.
pub const NAMED_THREADS: usize = 64;

/// What the agent is told.
#[derive(Debug)]
#[repr(C)]
pub struct AttachRequest {
    /// Which session it is: its number; 0 where what is there of one is only to be
    /// [freed](AttachRequest::freed).
    pub session: u64,
    /// Whether what the process has of another session may be freed, from which it was detached: the
    /// [times](AttachAnswer) that it had been detached when all its threads were seen to use nothing of it,
    /// and were so before it is detached once more. 0 for none.
    pub freed: u64,
    /// The signals that the calling thread blocks, a bit for each: all are, while it is in the routine.
    pub mask: u64,
    /// 1 where the agent may make system calls after that: no filter (seccomp) of any thread forbids one; 0
    /// where it may not.
    pub may_call: u64,
    /// The inode of the process's pid namespace; 0 where that isn't known.
    pub pid_namespace: u64,
    /// The name of the process's first thread, with zeros after it.
    pub comm: [u8; 16],
    /// The path of the session's file, with a zero byte at its end.
    pub file: [u8; LONGEST_PATH],
    /// Other threads' names; a TID of 0 ends them.
    pub threads: [NamedThread; NAMED_THREADS],
}

/// The name of a thread.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct NamedThread {
    /// The thread.
    pub tid: u32,
    /// Its name, with zeros after it.
    pub comm: [u8; 16],
}

const _: () = assert!(size_of::<AttachRequest>() == 56 + LONGEST_PATH + 20 * NAMED_THREADS);

/// The whole answer, in r12 while the routine waits: what has come of it, and how often the process has been
/// detached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachAnswer {
    /// What has come of it.
    pub result: AttachResult,
    /// How often the process has been detached.
    pub detached_times: u32,
}

impl AttachAnswer {
    /// As a register has it.
    pub const fn to_word(self) -> u64 {
        self.result as u64 | (self.detached_times as u64) << 32
    }

    /// What a register says.
    pub const fn of(word: u64) -> Option<AttachAnswer> {
        match AttachResult::of(word & 0xffff_ffff) {
            Some(result) => Some(AttachAnswer { result, detached_times: (word >> 32) as u32 }),
            None => None,
        }
    }
}

/// What the routine says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum AttachResult {
    /// The process is attached.
    Done = 0,
    /// It was attached already.
    Attached = 1,
    /// The session's file belongs to somebody else.
    Foreign = 2,
    /// The session's file can't be opened or mapped by the process.
    System = 3,
    /// The session is not one of this version.
    Unusable = 4,
    /// The C library is not a known one.
    UnknownLibc = 5,
    /// Another of its threads changes code, or unloads a library: it is attached, but its calls don't lead to
    /// the agent yet.
    Busy = 6,
    /// It was detached from another session, which it has mapped still.
    OtherSession = 7,
    /// It is a copy of a process that was attached before.
    Copied = 8,
    /// It is not attached.
    NotAttached = 9,
    /// It was started with the agent.
    Preloaded = 10,
    /// It is attached to another session.
    Elsewhere = 11,
}

impl AttachResult {
    /// What a register says.
    pub const fn of(value: u64) -> Option<AttachResult> {
        match value {
            0 => Some(AttachResult::Done),
            1 => Some(AttachResult::Attached),
            2 => Some(AttachResult::Foreign),
            3 => Some(AttachResult::System),
            4 => Some(AttachResult::Unusable),
            5 => Some(AttachResult::UnknownLibc),
            6 => Some(AttachResult::Busy),
            7 => Some(AttachResult::OtherSession),
            8 => Some(AttachResult::Copied),
            9 => Some(AttachResult::NotAttached),
            10 => Some(AttachResult::Preloaded),
            11 => Some(AttachResult::Elsewhere),
            _ => None,
        }
    }
}
