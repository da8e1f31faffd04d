//! Choosing a thread that may be stopped.

use crate::candidate::{Candidate, candidates};
use crate::filter::FilterVerdict;
use crate::look::{ProcessLook, ThreadLook};
use crate::refusal::CallRefusal;
use crate::routine::RemoteRoutine;
use crate::stopped::{Stopped, ThreadFailure};
use crate::target::TargetProcess;
use abi::remote::RemoteResult;
use rustix::process::setpriority_process;
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The thread that has called the routine.
    pub tid: u32,
    /// How long it was kept from what it was doing.
    pub stood_still: Duration,
    /// How often the process has been detached then, as far as it is asked.
    pub(crate) detached_times: u32,
    /// Why the agent makes no system calls in the process, if it doesn't: what its filters say.
    pub makes_no_calls: Option<String>,
    /// Whether it is a program of Go, without a C library.
    pub is_of_go: bool,
}

/// Between two looks at all threads.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);

/// Has a thread of a process call the routine of `agent`, which is the file that the process has loaded as
/// its agent. Looks for a thread that can for so long.
///
/// One at a time for each process: the caller sees to that.
pub fn call(pid: u32, agent: &[u8], within: Duration) -> Result<Called, CallRefusal> {
    in_thread(|| Attempt::new(pid, agent)?.repeat(Instant::now() + within))
}

/// What only root can ask for.
const LOWEST_NICE: i32 = -20;

/// Does it in a thread of its own: at its end the kernel detaches what is left.
pub(crate) fn in_thread<T: Send>(
    attempt: impl FnOnce() -> Result<T, CallRefusal> + Send,
) -> Result<T, CallRefusal> {
    let attempt = || {
        // So that it sleeps as short as it asks for, and goes on before others: somebody stands still.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let _ = setpriority_process(None, LOWEST_NICE);
        attempt()
    };
    std::thread::scope(|scope| scope.spawn(attempt).join())
        .unwrap_or_else(|_| Err(CallRefusal::System("the call has failed".to_owned())))
}

/// A process, and its routine.
#[derive(Debug)]
struct Attempt {
    target: TargetProcess,
    routine: RemoteRoutine,
}

impl Attempt {
    fn new(pid: u32, agent: &[u8]) -> Result<Attempt, CallRefusal> {
        ProcessLook::at(pid).ok_or(CallRefusal::Gone)?.may_be_traced()?;
        let target = TargetProcess::open(pid)?;
        let routine = RemoteRoutine::find(&target, agent)?;
        Ok(Attempt { target, routine })
    }

    /// Tries all threads, again and again.
    fn repeat(&self, until: Instant) -> Result<Called, CallRefusal> {
        loop {
            let mut why = "none of its threads can be interrupted now".to_owned();
            if self.is_free()? {
                for candidate in candidates(&self.target, &self.routine.code, &mut why)? {
                    match self.try_with(&candidate) {
                        Ok(called) => return Ok(called),
                        Err(ThreadFailure::Next(reason)) => why = reason,
                        Err(ThreadFailure::For(refusal)) => return Err(refusal),
                    }
                }
            }
            if Instant::now() >= until {
                return Err(CallRefusal::NoThread(why));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether no thread is in the routine. One may be whose tracer was killed.
    fn is_free(&self) -> Result<bool, CallRefusal> {
        let owner = self.target.read_word(self.routine.owner())? as u32;
        if owner == 0 {
            return Ok(true);
        }
        match ThreadLook::at(self.target.pid, owner) {
            Ok(ThreadLook::Sleeps(call)) => Ok(!self.routine.code.contains(&call.returns_to)),
            Ok(_) => match Stopped::stop(&self.target, Some(&self.routine), &Candidate::running(owner)) {
                Ok(stopped) => stopped.went_on_outside().map_err(ThreadFailure::into_refusal),
                Err(failure) => Err(failure.into_refusal()),
            },
            // It is gone, or was a thread of the process that this one is a copy of.
            Err(_) => Ok(true),
        }
    }

    fn try_with(&self, candidate: &Candidate) -> Result<Called, ThreadFailure> {
        let start = Instant::now();
        let stopped = Stopped::stop(&self.target, Some(&self.routine), candidate)?;
        let result = stopped.if_filters_let(FilterVerdict::may_call)?.call(&self.routine)?;
        let stood_still = start.elapsed();
        match result {
            Some(RemoteResult::Done) => {
                let tid = candidate.tid;
                Ok(Called { tid, stood_still, detached_times: 0, makes_no_calls: None, is_of_go: false })
            }
            Some(RemoteResult::Busy) => Err(ThreadFailure::Next(
                "another of its threads changes code, or unloads a library".to_owned(),
            )),
            Some(RemoteResult::Refused) => Err(ThreadFailure::Next(
                "its code may not be changed (vfork, or limited addresses)".to_owned(),
            )),
            Some(RemoteResult::NotAttached) => Err(ThreadFailure::For(CallRefusal::NotAttached)),
            None => Err(ThreadFailure::For(CallRefusal::System("the agent has failed in it".to_owned()))),
        }
    }
}
