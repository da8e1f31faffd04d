//! A thread that is stopped: it calls the routine, and is put back.
//!
//! The order of the steps is such that whoever does this may be killed between any two of them (R6): the
//! frame is there before the registers lead to it, and the mask is put back before the registers are.

use crate::candidate::Candidate;
use crate::filter::{self, FilterVerdict};
use crate::frame::ReturnFrame;
use crate::interrupted::{StopEffect, TimeLimit, by_itself, mended};
use crate::look::ProcessLook;
use crate::ptrace::{Stop, ThreadRegisters, Tracee};
use crate::refusal::CallRefusal;
use crate::routine::RemoteRoutine;
use crate::rseq;
use crate::target::{TargetProcess, not_permitted};
use abi::remote::RemoteResult;
use std::io;
use std::time::{Duration, Instant};

/// How long a thread may take to stop: until it is on a CPU again.
const TO_STOP: Duration = Duration::from_secs(1);

/// How long the routine may take.
const TO_RUN: Duration = Duration::from_secs(5);

/// All signals.
pub(crate) const ALL: u64 = u64::MAX;

/// In no system call.
pub(crate) const NONE: u64 = u64::MAX;

/// Flags of a function that is called: interrupts are enabled, as always.
pub(crate) const FLAGS: u64 = 0x202;

/// The instructions by which libc and the agent load the number of rt_sigreturn(2) before they make the call.
const SIGRETURN_LOADS: [&[u8]; 2] = [&[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0], &[0xb8, 0x0f, 0, 0, 0]];

/// The least bytes of the routine's stack.
const STACK: u64 = 48 * 1024;

/// Why one thread didn't do it.
#[derive(Debug)]
pub(crate) enum ThreadFailure {
    /// Another may, or this one later. Why this one can't.
    Next(String),
    /// None will.
    For(CallRefusal),
}

impl ThreadFailure {
    pub(crate) fn into_refusal(self) -> CallRefusal {
        match self {
            ThreadFailure::Next(why) => CallRefusal::NoThread(why),
            ThreadFailure::For(refusal) => refusal,
        }
    }
}

impl From<CallRefusal> for ThreadFailure {
    fn from(refusal: CallRefusal) -> ThreadFailure {
        ThreadFailure::For(refusal)
    }
}

impl From<io::Error> for ThreadFailure {
    fn from(error: io::Error) -> ThreadFailure {
        match error.raw_os_error() {
            Some(libc::ESRCH) => ended(),
            _ => ThreadFailure::For(CallRefusal::System(format!("ptrace: {error}"))),
        }
    }
}

fn ended() -> ThreadFailure {
    ThreadFailure::Next("its thread has ended".to_owned())
}

/// A thread that was stopped.
#[derive(Debug)]
pub(crate) struct Stopped<'a> {
    pub(crate) target: &'a TargetProcess,
    /// None where the agent is not there yet.
    routine: Option<&'a RemoteRoutine>,
    candidate: &'a Candidate,
    pub(crate) tracee: Tracee,
    /// What it may be made to do.
    pub(crate) verdict: FilterVerdict,
    /// Its registers, as they were found.
    pub(crate) found: ThreadRegisters,
    /// What they are to be when it goes on.
    pub(crate) after: ThreadRegisters,
}

impl<'a> Stopped<'a> {
    pub(crate) fn stop(
        target: &'a TargetProcess,
        routine: Option<&'a RemoteRoutine>,
        candidate: &'a Candidate,
    ) -> Result<Stopped<'a>, ThreadFailure> {
        let known = filter::before_stop(target.pid, candidate.tid).ok_or_else(ended)?;
        if known != FilterVerdict::All {
            return Err(filtered(target.pid, known));
        }
        let tracee = Tracee::seize(candidate.tid).map_err(|error| not_seized(target.pid, error))?;
        tracee.interrupt()?;
        let until = Instant::now() + TO_STOP;
        loop {
            match tracee.wait(until) {
                Some(Stop::Interrupted) => break,
                Some(Stop::WithProcess) => {
                    tracee.detach()?;
                    return Err(CallRefusal::Stopped.into());
                }
                Some(Stop::Signal(signal)) => tracee.go_on(signal)?,
                Some(Stop::SystemCall) => tracee.go_on(0)?,
                Some(Stop::Ended) => return Err(ended()),
                // It is traced until the calling thread ends, so nobody tries it again.
                None => return Err(CallRefusal::NoThread("its thread doesn't stop".to_owned()).into()),
            }
        }
        let found = tracee.registers()?;
        let verdict = filter::of_stopped(target.pid, candidate.tid, &tracee).ok_or_else(ended)?;
        let mut stopped = Stopped { target, routine, candidate, tracee, verdict, found, after: found };
        stopped.mend()?;
        Ok(stopped)
    }

    /// Lets it go on at once. Whether it was elsewhere than in the routine.
    pub(crate) fn went_on_outside(self) -> Result<bool, ThreadFailure> {
        let stack = self.found.rsp;
        let is_outside = self.routine.is_none_or(|routine| !routine.space().contains(&stack));
        self.go_on()?;
        Ok(is_outside)
    }

    /// The thread.
    pub(crate) fn tid(&self) -> u32 {
        self.candidate.tid
    }

    /// Whether it may be in a restartable sequence.
    pub(crate) fn is_in_sequence(&self) -> bool {
        rseq::is_inside(&self.tracee, self.target, self.found.rip)
    }

    /// The thread, if its filters let it be made to do what is wanted; else it goes on.
    pub(crate) fn if_filters_let(
        self,
        is_let: fn(FilterVerdict) -> bool,
    ) -> Result<Stopped<'a>, ThreadFailure> {
        if is_let(self.verdict) {
            return Ok(self);
        }
        let failure = filtered(self.target.pid, self.verdict);
        self.go_on()?;
        Err(failure)
    }

    /// Has it call the routine, unless it is where it can't be interrupted, and go on. What the routine says;
    /// None where it has failed.
    pub(crate) fn call(self, routine: &RemoteRoutine) -> Result<Option<RemoteResult>, ThreadFailure> {
        let (number, _) = self.found.call();
        let instruction = self.found.rip;
        let is_inside =
            || routine.code.contains(&instruction) || rseq::is_inside(&self.tracee, self.target, instruction);
        // The agent's code has a system call in it that is the program's own: syscall(2).
        if number < 0 && is_inside() {
            self.go_on()?;
            return Err(ThreadFailure::Next("its thread can't be interrupted where it is".to_owned()));
        }
        let (mask, extended) = (self.tracee.mask()?, self.tracee.extended()?);
        let space = routine.space();
        let frame = ReturnFrame::new(space.end, &self.by_itself(), mask, &extended);
        if frame.address < space.start + STACK {
            self.go_on()?;
            return Err(CallRefusal::System("its registers take too much space".to_owned()).into());
        }
        self.say_thread_pointer()?;
        self.target.write(routine.owner(), &self.candidate.tid.to_le_bytes())?;
        self.target.write(frame.address, &frame.bytes)?;
        let inside = ThreadRegisters {
            rip: routine.entry,
            rsp: frame.address,
            rax: 0,
            orig_rax: NONE,
            eflags: FLAGS,
            ..self.found
        };
        self.tracee.set_registers(&inside)?;
        self.tracee.set_mask(ALL)?;
        let result = self.run(frame.address)?.and_then(RemoteResult::of);
        self.tracee.set_mask(mask)?;
        self.tracee.set_extended(&extended)?;
        self.tracee.set_registers(&self.after)?;
        self.target.write(routine.owner(), &0_u32.to_le_bytes())?;
        self.tracee.detach()?;
        Ok(result)
    }

    /// Has the thread pointer be in memory where it leads, as C libraries have it: a thread of Go may not
    /// have come to the agent yet.
    pub(crate) fn say_thread_pointer(&self) -> Result<(), CallRefusal> {
        let pointer = self.found.fs_base;
        match self.target.read_word(pointer) {
            Ok(0) => self.target.write(pointer, &pointer.to_le_bytes()),
            _ => Ok(()),
        }
    }

    /// Lets it run up to its call of rt_sigreturn(2) with a frame at this address, which is skipped, and into
    /// a stop from which the kernel goes on to look for signals, and at the call that the thread was in. What
    /// it has as that call's argument; None when it has failed before.
    pub(crate) fn run(&self, frame: u64) -> Result<Option<u64>, ThreadFailure> {
        let until = Instant::now() + TO_RUN;
        let mut result = None;
        self.tracee.go_on_to_call(0)?;
        loop {
            match self.tracee.wait(until) {
                Some(Stop::SystemCall) => {
                    let registers = self.tracee.registers()?;
                    let is_last =
                        registers.orig_rax == libc::SYS_rt_sigreturn as u64 && registers.rsp == frame;
                    if is_last && result.is_none() {
                        result = Some(registers.rdi);
                        self.tracee.interrupt()?;
                        self.tracee.set_registers(&self.made_later(registers)?)?;
                        self.tracee.go_on(0)?;
                    } else {
                        self.tracee.go_on_to_call(0)?;
                    }
                }
                Some(Stop::Interrupted | Stop::WithProcess) if result.is_some() => return Ok(result),
                Some(Stop::Interrupted | Stop::WithProcess) => self.tracee.go_on_to_call(0)?,
                // No other can be blocked.
                Some(Stop::Signal(libc::SIGSTOP)) if result.is_some() => self.tracee.go_on(libc::SIGSTOP)?,
                Some(Stop::Signal(libc::SIGSTOP)) => self.tracee.go_on_to_call(libc::SIGSTOP)?,
                // A fault of the routine: the thread goes on without it.
                Some(Stop::Signal(_)) => return Ok(None),
                Some(Stop::Ended) => return Err(ended()),
                None => return Err(CallRefusal::Unfinished.into()),
            }
        }
    }

    /// Registers with which a thread makes another call than that of rt_sigreturn(2) which it is about to
    /// make, one that does nothing, and that one after it, unless its registers are changed before: as long
    /// as that is so, it goes on by itself. To skip a call is to make one of no number, which filters may
    /// forbid.
    fn made_later(&self, registers: ThreadRegisters) -> Result<ThreadRegisters, ThreadFailure> {
        const LENGTH: u64 = 2;
        let mut before = [0; 7];
        self.target.read(registers.rip - LENGTH - before.len() as u64, &mut before)?;
        let loads = SIGRETURN_LOADS.iter().find(|load| before.ends_with(load));
        let Some(load) = loads else {
            return Err(
                CallRefusal::System(format!("no rt_sigreturn(2) is known at {:#x}", registers.rip)).into()
            );
        };
        let rip = registers.rip - LENGTH - load.len() as u64;
        Ok(ThreadRegisters { rip, orig_rax: libc::SYS_getpid as u64, ..registers })
    }

    /// Lets it go on, as if it had not been stopped.
    pub(crate) fn go_on(self) -> Result<(), ThreadFailure> {
        if self.after != self.found {
            self.tracee.set_registers(&self.after)?;
        }
        Ok(self.tracee.detach()?)
    }

    /// Has a call that was ended by the stop be made again, with the time that is left.
    fn mend(&mut self) -> Result<(), ThreadFailure> {
        let (number, result) = self.found.call();
        let mended = mended(number, result, self.verdict.may_restart());
        self.after.rax = mended.cast_unsigned();
        let is_same = self
            .candidate
            .call
            .is_some_and(|call| call.number == number && call.arguments == self.found.arguments());
        let slept = self.candidate.slept.map(|(slept, at)| slept + at.elapsed());
        if let (true, StopEffect::EndsWithLimit(limit), Some(slept)) =
            (is_same && mended != result, self.candidate.effect, slept)
        {
            self.limit(limit, slept)?;
        }
        Ok(())
    }

    /// Puts what is left of a limit in its place.
    fn limit(&mut self, limit: TimeLimit, slept: Duration) -> Result<(), ThreadFailure> {
        match limit {
            TimeLimit::Milliseconds(index) => {
                let limit = Duration::from_millis(self.found.arguments()[index] as u32 as u64);
                // As the kernel does it: not too early.
                let left = limit.saturating_sub(slept).as_micros().div_ceil(1000);
                self.after.set_argument(index, left as u64);
            }
            TimeLimit::Timespec(index) => {
                let place = self.found.arguments()[index];
                let seconds = self.target.read_word(place)?;
                let nanoseconds = self.target.read_word(place + 8)?;
                let limit = Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
                let left = limit.saturating_sub(slept);
                let Some(routine) = self.routine else { return Ok(()) };
                let own = routine.time_limit(self.candidate.tid);
                let words = [left.as_secs().to_le_bytes(), u64::from(left.subsec_nanos()).to_le_bytes()];
                self.target.write(own, &words.concat())?;
                self.after.set_argument(index, own);
            }
        }
        Ok(())
    }

    /// Its registers if it has to go on by itself.
    pub(crate) fn by_itself(&self) -> ThreadRegisters {
        const LENGTH: u64 = 2;
        let (number, result) = self.after.call();
        let (rax, is_again) = by_itself(number, result);
        let rip = if is_again { self.after.rip - LENGTH } else { self.after.rip };
        ThreadRegisters { rax: rax.cast_unsigned(), rip, ..self.after }
    }
}

/// Why a thread can't that has such filters: where the first thread has some, most often no thread can.
fn filtered(pid: u32, verdict: FilterVerdict) -> ThreadFailure {
    let refusal = CallRefusal::Filter(verdict);
    match filter::has_filters(pid, pid) {
        true => refusal.into(),
        false => ThreadFailure::Next(format!("of one of its threads: {refusal}")),
    }
}

fn not_seized(pid: u32, error: io::Error) -> ThreadFailure {
    let tracer = ProcessLook::at(pid).map_or(0, |look| look.tracer);
    match error.raw_os_error() {
        Some(libc::EPERM) if tracer != 0 => CallRefusal::Traced(tracer).into(),
        Some(libc::EPERM) => not_permitted(pid, &io::ErrorKind::PermissionDenied.into()).into(),
        _ => error.into(),
    }
}
