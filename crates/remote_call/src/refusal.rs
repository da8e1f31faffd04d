//! Why nothing was called.

use crate::filter::FilterVerdict;
use abi::attach::{AttachAnswer, AttachResult};
use std::fmt;

/// Why no thread has called the routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallRefusal {
    /// There is no such process any more.
    Gone,
    /// It is stopped, and stays so.
    Stopped,
    /// It has a filter of system calls, which might end it for a call that isn't its own: which one that
    /// forbids.
    Filter(FilterVerdict),
    /// Another process traces it.
    Traced(u32),
    /// The system doesn't let this user.
    NotPermitted(&'static str),
    /// It doesn't have this command's agent.
    OtherAgent,
    /// None of its threads could be interrupted without the program's noticing: why not the last of them.
    NoThread(String),
    /// The process has left its session.
    NotAttached,
    /// It has no C library into which the agent can be loaded: why not.
    NoLibc(String),
    /// Its dynamic linker has refused the agent: what it says.
    NotLoaded(String),
    /// The agent has refused to attach it.
    NotAttachable(AttachAnswer),
    /// It has not ended in time, and goes on by itself.
    Unfinished,
    /// The system has failed in this.
    System(String),
}

impl fmt::Display for CallRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallRefusal::Gone => f.write_str("it has ended"),
            CallRefusal::Stopped => {
                f.write_str("it is stopped (SIGSTOP, SIGTSTP), and stays so until SIGCONT")
            }
            CallRefusal::Filter(verdict) => write!(f, "it has a filter of system calls (seccomp), {verdict}"),
            CallRefusal::Traced(by) => write!(f, "process {by} traces it already, as a debugger does"),
            CallRefusal::NotPermitted(why) => f.write_str(why),
            CallRefusal::OtherAgent => f.write_str("it was started by another version of lookback"),
            CallRefusal::NoThread(why) => f.write_str(why),
            CallRefusal::NotAttached => f.write_str("it has left the session"),
            CallRefusal::NoLibc(why) => f.write_str(why),
            CallRefusal::NotLoaded(why) => write!(f, "its dynamic linker has not loaded the agent: {why}"),
            CallRefusal::NotAttachable(answer) => f.write_str(describe(answer.result)),
            CallRefusal::Unfinished => f.write_str("it has not ended in time, and goes on by itself"),
            CallRefusal::System(what) => f.write_str(what),
        }
    }
}

fn describe(result: AttachResult) -> &'static str {
    match result {
        AttachResult::Done => "it is attached",
        AttachResult::Attached => "it is attached already",
        AttachResult::Foreign => "the session belongs to another user than it",
        AttachResult::System => "it can't open or map the session's file",
        AttachResult::Unusable => "the session is not one of this version",
        AttachResult::UnknownLibc => "its C library is not a known one",
        AttachResult::OtherSession => "it was detached from another session, and has that mapped still",
        AttachResult::Elsewhere => "it is attached to another session",
        AttachResult::Copied => "it is a copy of a process that was attached before, and can't be attached",
        AttachResult::NotAttached => "it is not attached",
        AttachResult::Preloaded => "it was started with lookback, and stays attached",
        AttachResult::Busy => "another of its threads changes code, or unloads a library: try again",
    }
}

impl std::error::Error for CallRefusal {}
