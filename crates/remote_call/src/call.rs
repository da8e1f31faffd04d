//! Choosing a thread that may be stopped.

use crate::candidate::{Candidate, name};
use crate::interrupted::StopEffect;
use crate::look::{ProcessLook, SleepingCall, ThreadLook, threads};
use crate::refusal::CallRefusal;
use crate::routine::RemoteRoutine;
use crate::slept::slept;
use crate::socket;
use crate::stopped::{Stopped, ThreadFailure};
use crate::target::{TargetProcess, not_permitted};
use abi::remote::RemoteResult;
use std::time::{Duration, Instant};

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    /// The thread that has called the routine.
    pub tid: u32,
    /// How long it was kept from what it was doing.
    pub stood_still: Duration,
}

/// Between two looks at all threads.
const PAUSE: Duration = Duration::from_millis(2);

/// Has a thread of a process call the routine of `agent`, which is the file that the process has loaded as
/// its agent. Looks for a thread that can for so long.
///
/// One at a time for each process: the caller sees to that.
pub fn call(pid: u32, agent: &[u8], within: Duration) -> Result<Called, CallRefusal> {
    // In a thread of its own: at its end the kernel detaches what is left.
    let attempt = || Attempt::new(pid, agent)?.repeat(Instant::now() + within);
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
        match ProcessLook::at(pid).ok_or(CallRefusal::Gone)? {
            ProcessLook { state: 'Z' | 'X', .. } => return Err(CallRefusal::Gone),
            ProcessLook { tracer, .. } if tracer != 0 => return Err(CallRefusal::Traced(tracer)),
            ProcessLook { state: 'T', .. } => return Err(CallRefusal::Stopped),
            ProcessLook { has_filter: true, .. } => return Err(CallRefusal::Filter),
            _ => {}
        }
        let target = TargetProcess::open(pid)?;
        let routine = RemoteRoutine::find(&target, agent)?;
        Ok(Attempt { target, routine })
    }

    /// Tries all threads, again and again.
    fn repeat(&self, until: Instant) -> Result<Called, CallRefusal> {
        loop {
            let mut why = "none of its threads can be interrupted now".to_owned();
            if self.is_free()? {
                for candidate in self.candidates(&mut why)? {
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
            Ok(_) => match Stopped::stop(&self.target, &self.routine, &Candidate::running(owner)) {
                Ok(stopped) => stopped.went_on_outside().map_err(ThreadFailure::into_refusal),
                Err(failure) => Err(failure.into_refusal()),
            },
            // It is gone, or was a thread of the process that this one is a copy of.
            Err(_) => Ok(true),
        }
    }

    fn try_with(&self, candidate: &Candidate) -> Result<Called, ThreadFailure> {
        let start = Instant::now();
        let result = Stopped::stop(&self.target, &self.routine, candidate)?.call()?;
        let stood_still = start.elapsed();
        match result {
            Some(RemoteResult::Done) => Ok(Called { tid: candidate.tid, stood_still }),
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

    /// The threads that may be stopped: first those that sleep in a call that the kernel makes again by
    /// itself, then those that run. And why the others may not.
    fn candidates(&self, why: &mut String) -> Result<Vec<Candidate>, CallRefusal> {
        let pid = self.target.pid;
        let mut found = Vec::new();
        for tid in threads(pid) {
            match ThreadLook::at(pid, tid) {
                Ok(ThreadLook::Stopped) => return Err(CallRefusal::Stopped),
                Ok(ThreadLook::Waits) => {
                    *why = format!("its thread {tid} waits for a disk, or for a child of vfork(2)");
                }
                Ok(ThreadLook::Runs) => found.push(Candidate::running(tid)),
                Ok(ThreadLook::Sleeps(call)) => match self.sleeper(tid, call) {
                    Ok(candidate) => found.push(candidate),
                    Err(reason) => *why = reason,
                },
                Err(error) => match not_permitted(pid, &error) {
                    CallRefusal::Gone => {}
                    refusal => return Err(refusal),
                },
            }
        }
        found.sort_by_key(|candidate| match (candidate.call, candidate.effect) {
            (Some(_), StopEffect::Restarts) => 0,
            (None, _) => 1,
            _ => 2,
        });
        Ok(found)
    }

    /// Whether an address is in a function of libc, or in the agent's syscall(2): callers of functions don't
    /// rely on their arguments.
    fn is_function(&self, address: u64) -> bool {
        self.target.is_in_libc(address) || self.routine.code.contains(&address)
    }

    /// A thread that sleeps, if the program doesn't notice when it is stopped; else why it does.
    fn sleeper(&self, tid: u32, call: SleepingCall) -> Result<Candidate, String> {
        let pid = self.target.pid;
        let effect = match StopEffect::on(&call) {
            StopEffect::Input => socket::effect(pid, call.arguments[0] as i32),
            effect => effect,
        };
        let slept = match effect {
            StopEffect::EndsWithLimit(_) => slept(pid, tid).map(|slept| (slept, Instant::now())),
            _ => None,
        };
        let sleeps = || format!("its thread {tid} sleeps in {}", name(call.number));
        match effect {
            StopEffect::Shows | StopEffect::Input => Err(format!("{}, which would end early", sleeps())),
            // Elsewhere the compiler may rely on the argument's being what it was.
            StopEffect::EndsWithLimit(_) if slept.is_none() || !self.is_function(call.returns_to) => {
                Err(format!("{} with a time limit, of which it isn't known how much is left", sleeps()))
            }
            _ => Ok(Candidate { tid, call: Some(call), effect, slept }),
        }
    }
}
