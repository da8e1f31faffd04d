//! The filters of system calls that a thread has, and what they let be done in it.

use super::needed::{AGENT_CALLS, ATTACH_CALLS, CALL_CALLS, NeededCall, RESTART};
use super::program::FilterProgram;
use super::verdict::FilterVerdict;
use crate::ptrace::Tracee;
use rustix::thread::{CapabilitySet, capabilities};
use std::fs::read_to_string;

/// How a thread's calls are filtered, by `Seccomp:` in its status: not at all, or by filters.
const NO_FILTER: &str = "0";
const FILTERS: &str = "2";

/// What is known before a thread is stopped: its filters may forbid even that, so nobody does it who couldn't
/// read them then. None for one that has ended.
pub(crate) fn before_stop(pid: u32, tid: u32) -> Option<FilterVerdict> {
    Some(match mode(pid, tid)?.as_str() {
        NO_FILTER => FilterVerdict::All,
        FILTERS if may_read() => FilterVerdict::All,
        FILTERS => FilterVerdict::Unreadable,
        _ => FilterVerdict::Nothing(RESTART),
    })
}

/// What the filters of a thread say that is stopped. None for one that has ended.
pub(crate) fn of_stopped(pid: u32, tid: u32, tracee: &Tracee) -> Option<FilterVerdict> {
    Some(match mode(pid, tid)?.as_str() {
        NO_FILTER => FilterVerdict::All,
        _ => programs(tracee).map_or(FilterVerdict::Unreadable, |programs| verdict(&programs)),
    })
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

/// How a thread's calls are filtered.
fn mode(pid: u32, tid: u32) -> Option<String> {
    let status = read_to_string(format!("/proc/{pid}/task/{tid}/status")).ok()?;
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    Some(mode.map_or(NO_FILTER, str::trim).to_owned())
}

/// Whether a thread has filters: no longer, if it is gone.
pub(crate) fn has_filters(pid: u32, tid: u32) -> bool {
    mode(pid, tid).is_some_and(|mode| mode != NO_FILTER)
}

/// Whether this command may read filters: as root of all users, and if it has none itself.
fn may_read() -> bool {
    let own = std::process::id();
    let users = read_to_string("/proc/self/uid_map").unwrap_or_default();
    let is_outside = users.split_whitespace().eq(["0", "0", "4294967295"]);
    is_outside
        && mode(own, own).is_some_and(|mode| mode == NO_FILTER)
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
