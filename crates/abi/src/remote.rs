//! The routine of the agent that a thread is made to call from outside, through ptrace(2).
//!
//! ```text
//! outside                                   the thread
//!   stop it, keep its registers
//!   own the area, put a frame there
//!   registers: at the routine,  ---------->  the routine runs, on the area's own stack,
//!     with the stack at the frame            and then makes the call rt_sigreturn(2)
//!   stop it there, skip that call <--------
//!   put its registers back
//! ```
//!
//! The frame is what the kernel makes for handlers of signals: it has the thread's registers. So a thread
//! whose tracer was killed gets them back by itself, by that very call.

use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// The symbol of the routine's first instruction.
pub const ENTRY_SYMBOL: &str = "lookback_remote_entry";

/// The symbol of the [`RemoteArea`].
pub const AREA_SYMBOL: &str = "lookback_remote_area";

/// Places for time limits.
pub const TIME_LIMITS: usize = 64;

/// Words of the stack, and of the frame above it.
pub const SPACE: usize = 10 * 1024;

/// What the routine works with: in the traced process, not in the session.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct RemoteArea {
    /// The thread that calls the routine; 0 when none does. Stored from outside only.
    pub owner: AtomicU32,
    _owner: u32,
    _line: [u64; 7],
    /// What is left of the time that calls wait for at most: seconds and nanoseconds. A call that is made
    /// again finds it here; a thread has the place of its TID modulo their number.
    pub time_limits: [[AtomicI64; 2]; TIME_LIMITS],
    /// The stack, and at its end the frame.
    pub space: [AtomicU64; SPACE],
}

impl RemoteArea {
    /// One that nobody has used.
    pub const fn new() -> RemoteArea {
        RemoteArea {
            owner: AtomicU32::new(0),
            _owner: 0,
            _line: [0; 7],
            time_limits: [const { [const { AtomicI64::new(0) }; 2] }; TIME_LIMITS],
            space: [const { AtomicU64::new(0) }; SPACE],
        }
    }
}

impl Default for RemoteArea {
    fn default() -> Self {
        RemoteArea::new()
    }
}

/// What the routine says, in the register of a call's first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum RemoteResult {
    /// The process's code is as it is wanted.
    Done = 0,
    /// Another thread changes code, or unloads a library.
    Busy = 1,
    /// Code may not be changed in this process, or not by this thread.
    Refused = 2,
    /// The process has left its session.
    NotAttached = 3,
}

impl RemoteResult {
    /// What a register says.
    pub const fn of(value: u64) -> Option<RemoteResult> {
        match value {
            0 => Some(RemoteResult::Done),
            1 => Some(RemoteResult::Busy),
            2 => Some(RemoteResult::Refused),
            3 => Some(RemoteResult::NotAttached),
            _ => None,
        }
    }
}
