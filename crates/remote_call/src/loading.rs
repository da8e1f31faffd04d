//! A thread that has stopped where it may load the agent: it does so, and is put back.

use crate::frame::ReturnFrame;
use crate::frame_space::{RED_ZONE, space_for_frame};
use crate::load_plan::{LoadPlan, bytes_of, with_end};
use crate::look::ThreadLook;
use crate::ptrace::{Stop, ThreadRegisters};
use crate::refusal::CallRefusal;
use crate::routine::AttachRoutine;
use crate::stopped::{ALL, FLAGS, NONE, Stopped, ThreadFailure};
use crate::target::TargetProcess;
use abi::attach::{AttachAnswer, AttachRequest};
use std::ffi::c_int;
use std::io;
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// Bytes of memory that the thread gets: for a request, a path, and a stack that is large enough for the
/// dynamic linker.
const AREA: u64 = 512 * 1024;

/// Where the path is in it, after the request.
pub(crate) const PATH: u64 = 8192;

/// Where it has space for what is handed to it.
const HANDED: u64 = 2 * PATH;

/// Instructions that a function has which is followed one by one, at most.
const STEPS: usize = 20_000;

/// How long each function may take.
const TO_RUN: Duration = Duration::from_secs(10);

/// Between two looks whether the agent's routine waits.
const TICK: Duration = Duration::from_micros(30);

/// Bytes of an error message that are read.
const MESSAGE: usize = 512;

/// A stopped thread that has memory to work with.
#[derive(Debug)]
pub(crate) struct Loading<'a> {
    plan: &'a LoadPlan<'a>,
    stopped: Stopped<'a>,
    mask: u64,
    extended: Vec<u8>,
    /// The address of the frame below its own stack.
    own_frame: u64,
    /// The memory, with a frame at its end.
    area: u64,
    frame: u64,
}

impl<'a> Loading<'a> {
    /// Has the thread map memory, and puts what it needs there.
    pub(crate) fn begin(plan: &'a LoadPlan<'a>, stopped: Stopped<'a>) -> Result<Loading<'a>, ThreadFailure> {
        let (mask, extended) = (stopped.tracee.mask()?, stopped.tracee.extended()?);
        let registers = stopped.by_itself();
        let frame = |end| ReturnFrame::new(end, &registers, mask, &extended);
        let space = space_for_frame(plan, &stopped)?;
        let own = space.as_ref().map(|space| frame(space.end));
        let own = own.zip(space).filter(|(own, space)| space.start + RED_ZONE <= own.address - 8);
        let Some((own, _)) = own.filter(|(own, _)| put(plan, own).is_ok()) else {
            stopped.go_on()?;
            return Err(ThreadFailure::Next("its thread has too little stack left".to_owned()));
        };
        stopped.say_thread_pointer()?;
        stopped.tracee.set_mask(ALL)?;
        let mut loading =
            Loading { plan, stopped, mask, extended: Vec::new(), own_frame: own.address, area: 0, frame: 0 };
        let Ok(mapped) = loading.map_memory(AREA, libc::PROT_READ | libc::PROT_WRITE)? else {
            loading.extended = extended;
            loading.put_back()?;
            let why = "it can have no more memory (limits, or locked memory)".to_owned();
            return Err(CallRefusal::System(why).into());
        };
        let may_call = plan.makes_no_calls.is_none() && loading.stopped.verdict.may_call();
        let in_area = frame(mapped + AREA);
        loading.extended = extended;
        (loading.area, loading.frame) = (mapped, in_area.address);
        put(plan, &in_area)?;
        plan.target.write(mapped, &bytes_of(plan.request, plan.freed, loading.mask, may_call))?;
        plan.target.write(mapped + PATH, &with_end(plan.path.as_os_str()))?;
        Ok(loading)
    }

    /// Has it load the agent and attach, frees the memory, and lets the thread go on. What the agent says.
    pub(crate) fn end(self) -> Result<AttachAnswer, ThreadFailure> {
        let target = &self.plan.target;
        let libc = &self.plan.libc;
        let errno = libc.errno_offset.map(|offset| self.stopped.found.fs_base.wrapping_add(offset));
        let mut before = [0; 4];
        if let Some(place) = errno {
            target.read(place, &mut before)?;
        }
        let result = self.attach();
        if goes_on_by_itself(&result) {
            return result;
        }
        if let Some(place) = errno {
            target.write(place, &before)?;
        }
        self.system_call(libc::SYS_munmap, [self.area, AREA, 0, 0, 0, 0])?;
        self.put_back()?;
        result
    }

    /// Has it load the agent and attach: by what it is handed, if it finds neither by itself.
    fn attach(&self) -> Result<AttachAnswer, ThreadFailure> {
        let Some(handed) = self.plan.handed else { return self.attach_by_paths() };
        let received = self.receive(handed, self.area + HANDED)?;
        let (target, agent) = (&self.plan.target, self.plan.path.file_name().unwrap_or_default());
        let file = self.area + offset_of!(AttachRequest, file) as u64;
        target.write(file, &with_end(&handed.session_file(received)))?;
        target.write(self.area + PATH, &with_end(&received.agent_file(agent)))?;
        let result = self.attach_by_paths();
        if !goes_on_by_itself(&result) {
            self.drop_received(received)?;
        }
        result
    }

    /// Has it load the agent, unless that is there, and call its routine.
    fn attach_by_paths(&self) -> Result<AttachAnswer, ThreadFailure> {
        let routine = match (&self.plan.image, self.plan.routine.find(&self.plan.target)) {
            (Some((image, auxiliary)), _) => self.map(image, auxiliary, self.plan.is_of_go)?,
            (None, Some(routine)) => routine,
            (None, None) => self.load()?,
        };
        self.begin_call((routine, self.frame), [self.area, 0])?;
        AttachAnswer::of(self.run_until_it_waits()?.ok_or_else(failed)?).ok_or_else(failed)
    }

    /// Has it load the agent: where the routine is then.
    fn load(&self) -> Result<u64, ThreadFailure> {
        let Some(libc) = &self.plan.libc.linker else { return Err(failed()) };
        let flags = (libc::RTLD_NOW | libc::RTLD_LOCAL) as u64;
        self.call((libc.dlopen, [self.area + PATH, flags]))?;
        let now = TargetProcess::open(self.plan.target.pid)?;
        if let Some(routine) = self.plan.routine.find(&now) {
            return Ok(routine);
        }
        let message = self.follow(libc.dlerror)?.filter(|message| *message != 0);
        let message = message.and_then(|at| self.plan.target.read_text(at, MESSAGE).ok());
        Err(CallRefusal::NotLoaded(message.unwrap_or_else(|| "no reason".to_owned())).into())
    }

    /// Lets the agent's routine run until it waits, and stops it there. What it says then; None when it has
    /// failed.
    fn run_until_it_waits(&self) -> Result<Option<u64>, ThreadFailure> {
        let tracee = &self.stopped.tracee;
        let (pid, tid) = (self.plan.target.pid, self.stopped.tid());
        let waits = || {
            let look = ThreadLook::at(pid, tid);
            matches!(look, Ok(ThreadLook::Sleeps(call)) if call.number == libc::SYS_rt_sigtimedwait)
        };
        let until = Instant::now() + TO_RUN;
        let mut has_asked = false;
        tracee.go_on(0)?;
        loop {
            if !has_asked && waits() {
                tracee.interrupt()?;
                has_asked = true;
            }
            match tracee.wait(Instant::now() + TICK) {
                None if Instant::now() >= until => return Err(CallRefusal::Unfinished.into()),
                None => {}
                Some(Stop::Interrupted | Stop::WithProcess) if has_asked => {
                    return Ok(Some(tracee.registers()?.r12));
                }
                Some(Stop::Interrupted | Stop::WithProcess | Stop::SystemCall) => tracee.go_on(0)?,
                // No other can be blocked.
                Some(Stop::Signal(libc::SIGSTOP)) => tracee.go_on(libc::SIGSTOP)?,
                // A fault of the routine: the thread goes on without it.
                Some(Stop::Signal(_)) => return Ok(None),
                Some(Stop::Ended) => return Err(ended()),
            }
        }
    }

    /// Has the registers be those at the start of a function, with this stack pointer.
    fn begin_call(
        &self,
        (function, stack): (u64, u64),
        [first, second]: [u64; 2],
    ) -> Result<(), ThreadFailure> {
        let registers = ThreadRegisters {
            rip: function,
            rsp: stack,
            rdi: first,
            rsi: second,
            rax: 0,
            orig_rax: NONE,
            eflags: FLAGS,
            ..self.stopped.found
        };
        Ok(self.stopped.tracee.set_registers(&registers)?)
    }

    /// Executes a function without arguments instruction by instruction: what it returns. None where it
    /// doesn't return.
    fn follow(&self, function: u64) -> Result<Option<u64>, ThreadFailure> {
        // A signal for each instruction, which the kernel doesn't leave blocked or ignored.
        const TRAP: u64 = 1 << (libc::SIGTRAP - 1);
        if self.plan.ignores_traps {
            return Ok(None);
        }
        self.stopped.tracee.set_mask(ALL & !TRAP)?;
        self.begin_call((function, self.frame - 8), [0, 0])?;
        for _ in 0..STEPS {
            let registers = self.step()?;
            if registers.rip == self.plan.libc.handler_return {
                return Ok(Some(registers.rax));
            }
        }
        Ok(None)
    }

    /// Executes one instruction: the registers after it.
    fn step(&self) -> Result<ThreadRegisters, ThreadFailure> {
        self.stopped.tracee.step()?;
        match self.wait()? {
            Stop::Signal(libc::SIGTRAP) => Ok(self.stopped.tracee.registers()?),
            _ => Err(failed()),
        }
    }

    /// Has it call a function: what it leaves in rdi.
    pub(crate) fn call(&self, (function, arguments): (u64, [u64; 2])) -> Result<u64, ThreadFailure> {
        self.begin_call((function, self.frame - 8), arguments)?;
        self.stopped.run(self.frame)?.ok_or_else(failed)
    }

    /// Has it map so many bytes of its own, to which it has this access: where they are, or why it can't.
    pub(crate) fn map_memory(&self, len: u64, access: c_int) -> Result<io::Result<u64>, ThreadFailure> {
        let kind = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let arguments = [0, len, access as u64, kind, u64::MAX, 0];
        Ok(returned(self.system_call(libc::SYS_mmap, arguments)?))
    }

    /// The agent's routine.
    pub(crate) fn routine(&self) -> &AttachRoutine {
        &self.plan.routine
    }

    /// The memory.
    pub(crate) fn area(&self) -> u64 {
        self.area
    }

    /// The process.
    pub(crate) fn target(&self) -> &TargetProcess {
        &self.plan.target
    }

    /// Has the thread make a system call, and stop at its end: the call's result.
    pub(crate) fn system_call(&self, number: i64, arguments: [u64; 6]) -> Result<u64, ThreadFailure> {
        let tracee = &self.stopped.tracee;
        let mut registers = ThreadRegisters {
            rip: self.plan.libc.system_call,
            rsp: self.own_frame - 8,
            rax: number as u64,
            orig_rax: NONE,
            eflags: FLAGS,
            ..self.stopped.found
        };
        for (index, argument) in arguments.into_iter().enumerate() {
            registers.set_argument(index, argument);
        }
        tracee.set_registers(&registers)?;
        // At its begin, then at its end.
        let mut stops = 0;
        tracee.go_on_to_call(0)?;
        loop {
            match self.wait()? {
                Stop::SystemCall if stops == 1 => return Ok(tracee.registers()?.rax),
                Stop::SystemCall => stops += 1,
                Stop::Signal(libc::SIGSTOP) => {
                    tracee.go_on_to_call(libc::SIGSTOP)?;
                    continue;
                }
                Stop::Signal(_) => return Err(failed()),
                _ => {}
            }
            tracee.go_on_to_call(0)?;
        }
    }

    /// How it stops next.
    fn wait(&self) -> Result<Stop, ThreadFailure> {
        match self.stopped.tracee.wait(Instant::now() + TO_RUN) {
            Some(Stop::Ended) => Err(ended()),
            Some(stop) => Ok(stop),
            None => Err(CallRefusal::Unfinished.into()),
        }
    }

    /// Lets the thread go on with all that it had: from a stop in which the kernel looks for signals, and at
    /// the call that the thread was in.
    fn put_back(self) -> Result<(), ThreadFailure> {
        self.stopped.tracee.interrupt()?;
        self.stopped.tracee.go_on(0)?;
        loop {
            match self.wait()? {
                Stop::Interrupted | Stop::WithProcess => break,
                Stop::Signal(signal) => self.stopped.tracee.go_on(signal)?,
                Stop::SystemCall | Stop::Ended => self.stopped.tracee.go_on(0)?,
            }
        }
        self.stopped.tracee.set_mask(self.mask)?;
        self.stopped.tracee.set_extended(&self.extended)?;
        self.stopped.tracee.set_registers(&self.stopped.after)?;
        Ok(self.stopped.tracee.detach()?)
    }
}

/// What the kernel has returned: a value, or the number of an error below 0.
pub(crate) fn returned(value: u64) -> io::Result<u64> {
    /// The highest of the numbers.
    const ERRORS: u64 = 4095;
    match value > u64::MAX - ERRORS {
        true => Err(io::Error::from_raw_os_error(value.wrapping_neg() as i32)),
        false => Ok(value),
    }
}

/// Whether the thread goes on by itself, or is gone.
fn goes_on_by_itself<T>(result: &Result<T, ThreadFailure>) -> bool {
    matches!(result, Err(ThreadFailure::Next(_) | ThreadFailure::For(CallRefusal::Unfinished)))
}

/// Puts a frame in its place, and before it the address of what takes the registers from it.
fn put(plan: &LoadPlan<'_>, frame: &ReturnFrame) -> Result<(), CallRefusal> {
    let returns_to = plan.libc.handler_return.to_le_bytes();
    plan.target.write(frame.address - 8, &[&returns_to, frame.bytes.as_slice()].concat())
}

fn ended() -> ThreadFailure {
    ThreadFailure::Next("its thread has ended".to_owned())
}

fn failed() -> ThreadFailure {
    CallRefusal::System("the agent, or the dynamic linker, has failed in it".to_owned()).into()
}
