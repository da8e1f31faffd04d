//! The filters of all threads of a process: what the agent does, it does in each of them.

use crate::call::PAUSE;
use crate::candidate::{Candidate, candidates};
use crate::filter::{FilterVerdict, has_filters};
use crate::look::threads;
use crate::refusal::CallRefusal;
use crate::stopped::{Stopped, ThreadFailure};
use crate::target::TargetProcess;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long it is tried to stop all threads once that have filters.
const WITHIN: Duration = Duration::from_millis(500);

/// Why the agent makes no system calls in a process, if that is so: a filter may forbid one, or isn't known.
/// Each thread that has filters is stopped for a moment.
pub(crate) fn obstacle(target: &TargetProcess) -> Result<Option<String>, CallRefusal> {
    let until = Instant::now() + WITHIN;
    let mut read = BTreeSet::new();
    loop {
        let mut left = threads(target.pid);
        left.retain(|tid| !read.contains(tid) && has_filters(target.pid, *tid));
        let Some(first) = left.first() else { return Ok(None) };
        if Instant::now() >= until {
            return Ok(Some(format!("those of its thread {first} could not be read")));
        }
        for candidate in candidates(target, &(0..0), &mut String::new())? {
            if left.contains(&candidate.tid) {
                match of_thread(target, &candidate) {
                    Ok(FilterVerdict::All) => drop(read.insert(candidate.tid)),
                    Ok(verdict) => return Ok(Some(verdict.to_string())),
                    Err(ThreadFailure::Next(_)) => {}
                    Err(ThreadFailure::For(refusal)) => return Err(refusal),
                }
            }
        }
        std::thread::sleep(PAUSE);
    }
}

fn of_thread(target: &TargetProcess, candidate: &Candidate) -> Result<FilterVerdict, ThreadFailure> {
    let stopped = Stopped::stop(target, None, candidate)?;
    let verdict = stopped.verdict;
    stopped.go_on()?;
    Ok(verdict)
}
