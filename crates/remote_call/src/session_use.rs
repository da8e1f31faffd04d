//! Whether threads of a process may be using the session that the process has been detached from.
//!
//! Since then nobody finds that session any more. So a thread that is seen once where it uses none doesn't
//! come to use it again, nor do threads that start since: each has to be seen so once, at any time.
//!
//! A thread uses none where neither it nor what has called it is in the agent's code, but for the places
//! where that [rests](crate::routine::AgentCode). The agent calls few functions of libc's with a session at
//! hand, and of these only those with a lock sleep; and handlers of signals may interrupt it. So of who
//! sleeps in another call of libc's, and of who runs in the program's code, only the frames of handlers are
//! looked for; else all of the stack is looked through.

use crate::candidate::Candidate;
use crate::go_thread::GoThread;
use crate::load_plan::LoadPlan;
use crate::look::{ThreadLook, threads};
use crate::refusal::CallRefusal;
use crate::routine::AgentCode;
use crate::sleeping::{RETURNS_FROM_FRAME, is_frame, is_of_lock};
use crate::stopped::{Stopped, ThreadFailure};
use crate::target::{Mapping, TargetProcess};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Between two looks at the threads that have not been seen elsewhere yet.
const PAUSE: Duration = Duration::from_millis(2);

/// The largest stack that is looked through.
const MOST: u64 = 64 << 20;

/// Waits until all threads of a process have been seen where they use no session. Refused if that takes
/// longer.
pub(crate) fn wait_for_end(plan: &LoadPlan<'_>, until: Instant) -> Result<(), CallRefusal> {
    let code = plan.routine.agent_code(&plan.target).ok_or(CallRefusal::OtherAgent)?;
    let mut seen = BTreeSet::new();
    loop {
        // Stacks of threads that have started since.
        let target = TargetProcess::open(plan.target.pid)?;
        let clock = target.code_of("[vdso]");
        let user = UserThreads { target: &target, code: &code, clock, plan };
        let left: Vec<u32> = threads(target.pid).into_iter().filter(|tid| !seen.contains(tid)).collect();
        let Some(first) = left.first() else { return Ok(()) };
        let before = seen.len();
        for tid in &left {
            if user.is_outside(*tid)? {
                seen.insert(*tid);
            }
        }
        if seen.len() == before && Instant::now() >= until {
            let why = format!("its thread {first} may be using the session that it was detached from");
            return Err(CallRefusal::NoThread(why));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Looks at threads that may be using a session.
struct UserThreads<'a> {
    target: &'a TargetProcess,
    code: &'a AgentCode,
    /// The functions of the kernel's that the agent reads clocks by.
    clock: Option<Range<u64>>,
    plan: &'a LoadPlan<'a>,
}

impl UserThreads<'_> {
    /// Whether a thread is, or was a moment ago, where it uses none; also if it is gone.
    fn is_outside(&self, tid: u32) -> Result<bool, CallRefusal> {
        match ThreadLook::at(self.target.pid, tid) {
            // Neither the agent nor a handler sleeps there.
            Ok(ThreadLook::Sleeps(call)) if self.plan.is_of_go => Ok(!self.is_in_use_at(call.returns_to)),
            Ok(ThreadLook::Sleeps(call)) => {
                Ok(self.is_clear((call.returns_to, call.stack), is_of_lock(&call)))
            }
            Ok(ThreadLook::Runs) => self.stop(tid),
            Ok(ThreadLook::Waits) => Ok(false),
            Ok(ThreadLook::Stopped) => Err(CallRefusal::Stopped),
            Err(_) => Ok(true),
        }
    }

    /// As it is found when it is stopped. It goes on at once.
    fn stop(&self, tid: u32) -> Result<bool, CallRefusal> {
        let candidate = Candidate::running(tid);
        let stopped = match Stopped::stop(self.target, None, &candidate) {
            Ok(stopped) => stopped,
            Err(ThreadFailure::Next(_)) => return Ok(false),
            Err(ThreadFailure::For(refusal)) => return Err(refusal),
        };
        let registers = &stopped.found;
        // Whatever lies on a goroutine's stack: the agent is never there.
        let is_clear = match self.plan.is_of_go {
            true => !GoThread::is_on_own_stack(self.target, registers) && !self.is_in_use_at(registers.rip),
            false => self.is_clear((registers.rip, registers.rsp), self.is_in_library(registers.rip)),
        };
        stopped.go_on().map_err(ThreadFailure::into_refusal)?;
        Ok(is_clear)
    }

    /// Whether an address is in code that the agent calls.
    fn is_in_library(&self, address: u64) -> bool {
        let is_linker = |mapping: &Mapping| mapping.name.starts_with("ld-");
        self.target.is_in_libc(address) || self.target.mapping(address).is_none_or(is_linker)
    }

    /// Whether a session can be in use neither at an instruction nor where that returns to: as far as
    /// handlers have interrupted, or, where the agent `may_have_called`, all that is on the stack. What is
    /// left there of calls that have returned looks alike: then a later time is tried.
    fn is_clear(&self, (instruction, stack): (u64, u64), may_have_called: bool) -> bool {
        let Some(mapping) = self.target.mapping(stack) else { return false };
        let length = mapping.addresses.end - stack;
        let mut bytes = vec![0; length.min(MOST) as usize];
        if length > MOST || self.target.read(stack, &mut bytes).is_err() || self.is_in_use_at(instruction) {
            return false;
        }
        let (words, _) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        self.is_stack_clear(&words, may_have_called)
    }

    fn is_stack_clear(&self, words: &[u64], mut may_have_called: bool) -> bool {
        let mut next = 0;
        while let Some(&word) = words.get(next) {
            next += 1;
            let resting = self.code.resting_at(word);
            let is_return = word == self.plan.libc.handler_return || resting.is_some();
            if is_return && is_frame(&words[next..]) {
                let interrupted = words[next + RETURNS_FROM_FRAME];
                if self.is_in_use_at(interrupted) {
                    return false;
                }
                may_have_called |= self.is_in_library(interrupted);
            }
            next += resting.unwrap_or(0) / 8;
            if may_have_called && self.is_in_use_at(word) {
                return false;
            }
        }
        true
    }

    fn is_in_use_at(&self, address: u64) -> bool {
        self.code.may_use_session_at(address)
            // Programs are told where it starts, on the stack: no instruction is there.
            || self.clock.as_ref().is_some_and(|clock| clock.contains(&address) && address != clock.start)
    }
}
