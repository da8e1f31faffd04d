//! The filters of system calls that a thread has, and what they let be done in it.

use super::needed::{AGENT_CALLS, ATTACH_CALLS, CALL_CALLS, NeededCall, RESTART};
use super::program::FilterProgram;
use crate::ptrace::Tracee;
use crate::refusal::CallRefusal;
use crate::stopped::ThreadFailure;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::fs::read_to_string;

/// What a thread's filters let it be made to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterVerdict {
    /// All: there may be none.
    All,
    /// To be attached, and nothing after that: they may forbid one of the agent's calls.
    Attach(NeededCall),
    /// Nothing, as they may forbid this call.
    Nothing(NeededCall),
    /// Nothing, as this user can't read them.
    Unreadable,
}

/// How a thread's calls are filtered, by `Seccomp:` in its status: not at all, or by filters.
const NO_FILTER: &str = "0";
const FILTERS: &str = "2";

impl FilterVerdict {
    /// What is known before a thread is stopped: its filters may forbid even that, so nobody does it who
    /// couldn't read them then.
    pub(crate) fn before_stop(pid: u32, tid: u32) -> Result<(), ThreadFailure> {
        match mode(pid, tid)?.as_str() {
            NO_FILTER => Ok(()),
            FILTERS if may_read() => Ok(()),
            FILTERS => Err(FilterVerdict::Unreadable.failure(pid)),
            _ => Err(FilterVerdict::Nothing(RESTART).failure(pid)),
        }
    }

    /// What the filters of a thread say that is stopped.
    pub(crate) fn of(pid: u32, tid: u32, tracee: &Tracee) -> Result<FilterVerdict, CallRefusal> {
        match mode(pid, tid)?.as_str() {
            NO_FILTER => Ok(FilterVerdict::All),
            _ => Ok(programs(tracee).map_or(FilterVerdict::Unreadable, |programs| verdict(&programs))),
        }
    }

    /// Whether the kernel may make a call again by its number for that.
    pub(crate) fn may_restart(self) -> bool {
        !matches!(self, FilterVerdict::Nothing(RESTART) | FilterVerdict::Unreadable)
    }

    /// Whether the agent may be loaded, and attach the process.
    pub(crate) fn may_attach(self) -> bool {
        matches!(self, FilterVerdict::All | FilterVerdict::Attach(_))
    }

    /// Whether the agent may make all of its calls.
    pub(crate) fn may_call(self) -> bool {
        self == FilterVerdict::All
    }

    /// Why a thread can't: most often no thread of the process can.
    pub(crate) fn failure(self, pid: u32) -> ThreadFailure {
        let refusal = CallRefusal::Filter(self);
        match mode(pid, pid).as_deref() {
            Ok(NO_FILTER) => ThreadFailure::Next(format!("of one of its threads: {refusal}")),
            _ => refusal.into(),
        }
    }
}

fn verdict(programs: &[FilterProgram]) -> FilterVerdict {
    let forbidden = |calls: &[NeededCall]| {
        let is_allowed = |call: &NeededCall| programs.iter().all(|program| program.allows(&call.foreseen()));
        calls.iter().copied().find(|call| !is_allowed(call))
    };
    match forbidden(CALL_CALLS).or_else(|| forbidden(ATTACH_CALLS)) {
        Some(call) => FilterVerdict::Nothing(call),
        None => forbidden(AGENT_CALLS).map_or(FilterVerdict::All, FilterVerdict::Attach),
    }
}

impl fmt::Display for FilterVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterVerdict::All => f.write_str("which allows all that is needed"),
            FilterVerdict::Attach(call) | FilterVerdict::Nothing(call) => {
                write!(f, "which may not allow {}", call.name)
            }
            FilterVerdict::Unreadable => f.write_str("which only root can read, outside of containers"),
        }
    }
}

/// How a thread's calls are filtered.
fn mode(pid: u32, tid: u32) -> Result<String, CallRefusal> {
    let status = read_to_string(format!("/proc/{pid}/task/{tid}/status")).map_err(|_| CallRefusal::Gone)?;
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    Ok(mode.map_or(NO_FILTER, str::trim).to_owned())
}

/// Whether a thread has filters: no longer, if it is gone.
pub(crate) fn has_filters(pid: u32, tid: u32) -> bool {
    mode(pid, tid).is_ok_and(|mode| mode != NO_FILTER)
}

/// Whether this command may read filters: as root of all users, and if it has none itself.
fn may_read() -> bool {
    let own = std::process::id();
    let users = read_to_string("/proc/self/uid_map").unwrap_or_default();
    let is_outside = users.split_whitespace().eq(["0", "0", "4294967295"]);
    is_outside
        && mode(own, own).is_ok_and(|mode| mode == NO_FILTER)
        && capabilities(None).is_ok_and(|own| own.effective.contains(CapabilitySet::SYS_ADMIN))
}

/// The filters of a thread, the last one first. None where they can't be read.
fn programs(tracee: &Tracee) -> Option<Vec<FilterProgram>> {
    let mut programs = Vec::new();
    loop {
        match tracee.filter(programs.len()) {
            Ok(instructions) => programs.push(FilterProgram::new(instructions)),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) && !programs.is_empty() => {
                return Some(programs);
            }
            Err(_) => return None,
        }
    }
}
