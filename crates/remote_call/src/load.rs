//! Has a process load the agent, and attach by it: what `lookback attach` does from outside.
//!
//! ```text
//! outside                                       the thread
//!   stop it, keep its registers
//!   a frame below its stack, at mmap  --------->  maps memory
//!   a request and a frame there, at dlopen ---->  the dynamic linker loads the agent
//!   at the agent's routine  ------------------->  attaches the process
//!   at munmap  -------------------------------->  frees the memory
//!   put its registers back
//! ```
//!
//! Each function returns to libc's instructions to which handlers of signals return, with a frame above: a
//! thread whose tracer was killed gets its registers back by itself, after whichever of these it is in.

use crate::call::{Called, PAUSE, in_thread};
use crate::candidate::{Candidate, candidates};
use crate::filter::FilterVerdict;
use crate::go_thread::GoThread;
use crate::interrupted::{StopEffect, TimeLimit};
use crate::libc_image::ImageSymbols;
use crate::load_plan::{AgentFile, LoadPlan};
use crate::loading::Loading;
use crate::look::SleepingCall;
use crate::ptrace::ThreadRegisters;
use crate::refusal::CallRefusal;
use crate::routine::AttachStep;
use crate::session_use;
use crate::sleeping::{is_frame, is_of_lock};
use crate::socket;
use crate::stopped::{Stopped, ThreadFailure};
use abi::OBJECT_PREFIX;
use abi::attach::{AttachRequest, AttachResult};
use std::time::{Duration, Instant};

/// Has a thread of a process load the agent, and attach by the request; where the process has been detached
/// from another session, once none of its threads uses that any more. Looks for a thread that can for so
/// long: one that holds no lock which the dynamic linker needs.
///
/// One at a time for each process: the caller sees to that.
pub fn load(
    pid: u32,
    agent: AgentFile<'_>,
    request: &AttachRequest,
    within: Duration,
) -> Result<Called, CallRefusal> {
    let until = || Instant::now() + within;
    in_thread(|| {
        let mut attempt = LoadAttempt { plan: LoadPlan::new(pid, agent, request, AttachStep::Attach)? };
        match attempt.repeat(until()) {
            Err(CallRefusal::NotAttachable(answer)) if answer.result == AttachResult::OtherSession => {
                session_use::wait_for_end(&attempt.plan, until())?;
                attempt.plan.freed = answer.detached_times.into();
                attempt.repeat(until())
            }
            result => result,
        }
    })
}

/// Has a thread of a process that has loaded the agent so detach it, and another one, or the same, free what
/// the process has mapped of the session, unless a thread may be using that. As for [`load`]; the request's
/// session is 0: none. The time is that of the longer stop.
pub fn detach(
    pid: u32,
    agent: AgentFile<'_>,
    request: &AttachRequest,
    within: Duration,
) -> Result<Called, CallRefusal> {
    in_thread(|| {
        let attempt = |step| Ok(LoadAttempt { plan: LoadPlan::new(pid, agent, request, step)? });
        let detached = attempt(AttachStep::Detach)?.repeat(Instant::now() + within)?;
        let free = || {
            let mut attempt: LoadAttempt<'_> = attempt(AttachStep::Attach)?;
            session_use::wait_for_end(&attempt.plan, Instant::now() + TO_FREE)?;
            attempt.plan.freed = detached.detached_times.into();
            attempt.repeat(Instant::now() + TO_FREE)
        };
        // What isn't freed now is freed when the process is attached to another session.
        let stood_still = detached.stood_still;
        let stood_still = free().map_or(stood_still, |freed: Called| freed.stood_still.max(stood_still));
        Ok(Called { stood_still, ..detached })
    })
}

/// How long it is tried to free what a process has of a session.
const TO_FREE: Duration = Duration::from_millis(200);

/// Looks for a thread of a process that can load the agent.
#[derive(Debug)]
struct LoadAttempt<'a> {
    plan: LoadPlan<'a>,
}

impl LoadAttempt<'_> {
    /// Tries all threads, again and again.
    fn repeat(&self, until: Instant) -> Result<Called, CallRefusal> {
        loop {
            let mut why = "none of its threads can be interrupted now".to_owned();
            for candidate in candidates(&self.plan.target, &(0..0), &mut why)? {
                if let Err(reason) = self.check_call(&candidate) {
                    why = reason;
                    continue;
                }
                match self.try_with(&candidate) {
                    Ok(called) => return Ok(called),
                    Err(ThreadFailure::Next(reason)) => why = reason,
                    Err(ThreadFailure::For(refusal)) => return Err(refusal),
                }
            }
            if Instant::now() >= until {
                return Err(CallRefusal::NoThread(why));
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn try_with(&self, candidate: &Candidate) -> Result<Called, ThreadFailure> {
        let start = Instant::now();
        let stopped = Stopped::stop(&self.plan.target, None, candidate)?;
        let stopped = stopped.if_filters_let(FilterVerdict::may_attach)?;
        if let Err(reason) = self.check_place(&stopped) {
            stopped.go_on()?;
            return Err(ThreadFailure::Next(reason));
        }
        let answer = Loading::begin(&self.plan, stopped)?.end()?;
        let stood_still = start.elapsed();
        match answer.result {
            AttachResult::Done => {
                let makes_no_calls = self.plan.makes_no_calls.clone();
                let (detached_times, is_of_go) = (answer.detached_times, self.plan.is_of_go);
                Ok(Called { tid: candidate.tid, stood_still, detached_times, makes_no_calls, is_of_go })
            }
            AttachResult::Busy => Err(ThreadFailure::Next(CallRefusal::NotAttachable(answer).to_string())),
            _ => Err(CallRefusal::NotAttachable(answer).into()),
        }
    }

    /// Whether what a thread sleeps in is a call that libc makes without a lock of its own.
    fn check_call(&self, candidate: &Candidate) -> Result<(), String> {
        let tid = candidate.tid;
        if self.plan.image.is_some() {
            return Ok(());
        }
        match candidate.call {
            Some(call) if !self.plan.libc.text.contains(&call.returns_to) => {
                Err(format!("its thread {tid} sleeps in a system call that isn't libc's"))
            }
            Some(call) if is_of_lock(&call) => Err(format!("its thread {tid} waits for a lock")),
            _ if matches!(candidate.effect, StopEffect::EndsWithLimit(TimeLimit::Timespec(_))) => {
                Err(format!("its thread {tid} sleeps in a call with a time limit in memory"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a thread that has stopped holds no lock that the dynamic linker and malloc(3) need.
    fn check_place(&self, stopped: &Stopped<'_>) -> Result<(), String> {
        let tid = stopped.tid();
        let registers = &stopped.found;
        if self.plan.image.is_some() {
            return self.check_place_in_static(stopped);
        }
        if let Some(call) = interrupted_call(registers) {
            if !self.plan.libc.text.contains(&registers.rip)
                || is_of_lock(&call)
                || !can_sleep(self.plan.target.pid, &call)
            {
                return Err(format!("its thread {tid} is in a system call"));
            }
        } else if stopped.is_in_sequence() || !self.is_in_program(registers.rip) {
            return Err(format!("its thread {tid} runs in a library that may hold a lock"));
        }
        self.check_stack(tid, registers.rsp)
    }

    /// Whether a thread of a static program can be used where it has stopped. It calls nothing of libc's
    /// then, so it may hold any lock but one of the agent's, which finds that out by itself.
    fn check_place_in_static(&self, stopped: &Stopped<'_>) -> Result<(), String> {
        /// Bytes of a thread's descriptor that the agent looks at, at most.
        const DESCRIPTOR: usize = 1024;
        let (tid, target) = (stopped.tid(), &self.plan.target);
        let registers = &stopped.found;
        if self.plan.is_of_go {
            self.check_go_thread(stopped)?;
        } else {
            let mut descriptor = [0; DESCRIPTOR];
            let is_known = target.read(registers.fs_base, &mut descriptor).is_ok()
                && descriptor.starts_with(&registers.fs_base.to_le_bytes());
            if !is_known {
                return Err(format!("its thread {tid} has no descriptor of a C library"));
            }
        }
        if let Some(call) = interrupted_call(registers) {
            return match can_sleep(target.pid, &call) {
                true => Ok(()),
                false => Err(format!("its thread {tid} is in a system call")),
            };
        }
        let code = self.plan.routine.agent_code(target);
        match stopped.is_in_sequence() || code.is_some_and(|code| code.contains(registers.rip)) {
            true => Err(format!("its thread {tid} can't be interrupted where it is")),
            false => Ok(()),
        }
    }

    /// Whether a thread of Go is as its runtime has them, and in no handler of a signal.
    fn check_go_thread(&self, stopped: &Stopped<'_>) -> Result<(), String> {
        let (tid, registers) = (stopped.tid(), &stopped.found);
        let thread =
            GoThread::of(&self.plan.target, tid, registers).map_err(|refusal| refusal.to_string())?;
        let thread = thread.ok_or_else(|| format!("its thread {tid} is not as Go's runtime has them"))?;
        let is_busy = thread.handler_stack.contains(&registers.rsp)
            || GoThread::is_on_own_stack(&self.plan.target, registers);
        match is_busy {
            true => Err(format!("its thread {tid} is in a handler of a signal, or in the agent")),
            false => Ok(()),
        }
    }

    /// Whether an address is in code of the program's that is neither libc's, nor the dynamic linker's, nor
    /// that of a library which has malloc(3).
    fn is_in_program(&self, address: u64) -> bool {
        let Some(mapping) = self.plan.target.mapping(address) else { return false };
        let is_system = ["libc.so", "libc-", "ld-", "[", OBJECT_PREFIX];
        if mapping.name.is_empty() || is_system.iter().any(|prefix| mapping.name.starts_with(prefix)) {
            return false;
        }
        let Some(start) = self.plan.target.object_at(address) else { return false };
        ImageSymbols::read(&self.plan.target, start).is_ok_and(|symbols| symbols.find("malloc").is_none())
    }

    /// Whether the stack shows no handler of a signal, which may have interrupted anything, and no function
    /// that the dynamic linker calls with a lock.
    fn check_stack(&self, tid: u32, stack: u64) -> Result<(), String> {
        /// How much of it is looked at.
        const MOST: u64 = 1 << 20;
        let end = self.plan.target.mapping(stack).map(|mapping| mapping.addresses.end);
        let Some(end) = end else { return Err(format!("the stack of its thread {tid} is not known")) };
        let mut bytes = vec![0; (end - stack).min(MOST) as usize];
        self.plan.target.read(stack, &mut bytes).map_err(|refusal| refusal.to_string())?;
        let (words, _) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let libc = &self.plan.libc;
        let iterates = |word: &u64| libc.linker.as_ref().is_some_and(|linker| linker.iterates.contains(word));
        let is_lock = |(index, word): (usize, &u64)| {
            *word == libc.handler_return && is_frame(&words[index + 1..]) || iterates(word)
        };
        match words.iter().enumerate().any(is_lock) {
            true => Err(format!("its thread {tid} is in a handler of a signal, or looks for a library")),
            false => Ok(()),
        }
    }
}

/// The system call that a stopped thread was in, if it was in one.
fn interrupted_call(registers: &ThreadRegisters) -> Option<SleepingCall> {
    let (number, _) = registers.call();
    (number >= 0).then(|| SleepingCall {
        number,
        arguments: registers.arguments(),
        stack: registers.rsp,
        returns_to: registers.rip,
    })
}

/// Whether a call is one in which programs sleep: libc itself reads files, with a lock of malloc's, too.
fn can_sleep(pid: u32, call: &SleepingCall) -> bool {
    let effect = match StopEffect::on(call) {
        StopEffect::Input => socket::effect(pid, call.arguments[0] as i32),
        effect => effect,
    };
    effect != StopEffect::Shows
}
