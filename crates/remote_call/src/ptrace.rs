//! ptrace(2), as far as it is needed here.

use std::io;
use std::time::{Duration, Instant};

/// A thread's registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct ThreadRegisters {
    pub(crate) r15: u64,
    pub(crate) r14: u64,
    pub(crate) r13: u64,
    pub(crate) r12: u64,
    pub(crate) rbp: u64,
    pub(crate) rbx: u64,
    pub(crate) r11: u64,
    pub(crate) r10: u64,
    pub(crate) r9: u64,
    pub(crate) r8: u64,
    pub(crate) rax: u64,
    pub(crate) rcx: u64,
    pub(crate) rdx: u64,
    pub(crate) rsi: u64,
    pub(crate) rdi: u64,
    /// The number of the system call that it is in; negative for none.
    pub(crate) orig_rax: u64,
    pub(crate) rip: u64,
    pub(crate) cs: u64,
    pub(crate) eflags: u64,
    pub(crate) rsp: u64,
    pub(crate) ss: u64,
    pub(crate) fs_base: u64,
    pub(crate) gs_base: u64,
    pub(crate) ds: u64,
    pub(crate) es: u64,
    pub(crate) fs: u64,
    pub(crate) gs: u64,
}

const _: () = assert!(size_of::<ThreadRegisters>() == size_of::<libc::user_regs_struct>());

impl ThreadRegisters {
    /// The arguments of a system call, in their order.
    pub(crate) fn arguments(&self) -> [u64; 6] {
        [self.rdi, self.rsi, self.rdx, self.r10, self.r8, self.r9]
    }

    /// Replaces one.
    pub(crate) fn set_argument(&mut self, index: usize, value: u64) {
        let all = [&mut self.rdi, &mut self.rsi, &mut self.rdx, &mut self.r10, &mut self.r8, &mut self.r9];
        if let Some(argument) = all.into_iter().nth(index) {
            *argument = value;
        }
    }

    /// The system call that it is in, and its result.
    pub(crate) fn call(&self) -> (i64, i64) {
        (self.orig_rax.cast_signed(), self.rax.cast_signed())
    }
}

/// How a thread has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// As it was told to.
    Interrupted,
    /// With its process, by a signal.
    WithProcess,
    /// Before or after a system call.
    SystemCall,
    /// It is about to get a signal.
    Signal(i32),
    /// It is gone.
    Ended,
}

/// A thread that the calling one traces. It has to be detached; what is left when the calling thread ends the
/// kernel detaches.
#[derive(Debug)]
pub(crate) struct Tracee {
    tid: i32,
}

/// The set of extended registers, for PTRACE_GETREGSET.
const EXTENDED: i64 = 0x202;

/// PTRACE_SECCOMP_GET_FILTER.
const GET_FILTER: u32 = 0x420c;

/// PTRACE_GET_RSEQ_CONFIGURATION.
const GET_RSEQ: u32 = 0x420f;

/// Between two looks whether a thread has stopped. A thread that has asked for it sleeps about so long.
const PAUSE: Duration = Duration::from_micros(5);

/// Bytes of extended registers, at most.
const MOST: usize = 32 * 1024;

impl Tracee {
    /// Begins to trace a thread, which runs on.
    pub(crate) fn seize(tid: u32) -> io::Result<Tracee> {
        let tracee = Tracee { tid: tid.cast_signed() };
        tracee.request(libc::PTRACE_SEIZE, 0, libc::PTRACE_O_TRACESYSGOOD as usize)?;
        Ok(tracee)
    }

    /// Has it stop, wherever it is: [`Tracee::wait`].
    pub(crate) fn interrupt(&self) -> io::Result<()> {
        self.request(libc::PTRACE_INTERRUPT, 0, 0)
    }

    /// How it stops, if it does so in time.
    pub(crate) fn wait(&self, until: Instant) -> Option<Stop> {
        loop {
            let mut status = 0;
            // SAFETY: the status is stored there.
            let found = unsafe { libc::waitpid(self.tid, &raw mut status, libc::__WALL | libc::WNOHANG) };
            if found == self.tid {
                return Some(stop(status));
            }
            if found < 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return Some(Stop::Ended);
            }
            if Instant::now() >= until {
                return None;
            }
            // Whoever yields instead waits longer where all CPUs are in use.
            std::thread::sleep(PAUSE);
        }
    }

    /// Lets it run on, with a signal or 0.
    pub(crate) fn go_on(&self, signal: i32) -> io::Result<()> {
        self.request(libc::PTRACE_CONT, 0, signal as usize)
    }

    /// Lets it run on to its next system call.
    pub(crate) fn go_on_to_call(&self, signal: i32) -> io::Result<()> {
        self.request(libc::PTRACE_SYSCALL, 0, signal as usize)
    }

    /// Lets it execute one instruction.
    pub(crate) fn step(&self) -> io::Result<()> {
        self.request(libc::PTRACE_SINGLESTEP, 0, 0)
    }

    /// Traces it no longer.
    pub(crate) fn detach(self) -> io::Result<()> {
        self.request(libc::PTRACE_DETACH, 0, 0)
    }

    pub(crate) fn registers(&self) -> io::Result<ThreadRegisters> {
        let mut registers = ThreadRegisters::default();
        self.request(libc::PTRACE_GETREGS, 0, (&raw mut registers).addr())?;
        Ok(registers)
    }

    pub(crate) fn set_registers(&self, registers: &ThreadRegisters) -> io::Result<()> {
        self.request(libc::PTRACE_SETREGS, 0, (&raw const *registers).addr())
    }

    /// The signals that it blocks. In a call with another mask, those that it blocks after that.
    pub(crate) fn mask(&self) -> io::Result<u64> {
        let mut mask = 0_u64;
        self.request(libc::PTRACE_GETSIGMASK, 8, (&raw mut mask).addr())?;
        Ok(mask)
    }

    pub(crate) fn set_mask(&self, mask: u64) -> io::Result<()> {
        self.request(libc::PTRACE_SETSIGMASK, 8, (&raw const mask).addr())
    }

    /// Its extended registers.
    pub(crate) fn extended(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; MOST];
        let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        self.request(libc::PTRACE_GETREGSET, EXTENDED as usize, (&raw mut place).addr())?;
        bytes.truncate(place.iov_len);
        Ok(bytes)
    }

    pub(crate) fn set_extended(&self, bytes: &[u8]) -> io::Result<()> {
        let place = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        self.request(libc::PTRACE_SETREGSET, EXTENDED as usize, (&raw const place).addr())
    }

    /// Where its `struct rseq` is; 0 when it has registered none.
    pub(crate) fn rseq_area(&self) -> io::Result<u64> {
        let mut configuration = [0_u64; 3];
        let size = size_of_val(&configuration);
        self.request(GET_RSEQ, size, (&raw mut configuration).addr())?;
        Ok(configuration[0])
    }

    /// One of its filters of system calls; 0 is the last one that it has installed. Errors: ENOENT for none.
    pub(crate) fn filter(&self, index: usize) -> io::Result<Vec<libc::sock_filter>> {
        let len = self.ask(GET_FILTER, index, 0)?;
        let mut instructions = vec![libc::sock_filter { code: 0, jt: 0, jf: 0, k: 0 }; len];
        // It doesn't change: nobody takes a filter from a thread that has stopped, or installs one.
        self.request(GET_FILTER, index, instructions.as_mut_ptr().addr())?;
        Ok(instructions)
    }

    fn request(&self, request: u32, address: usize, data: usize) -> io::Result<()> {
        self.ask(request, address, data).map(drop)
    }

    /// A request that has a result.
    fn ask(&self, request: u32, address: usize, data: usize) -> io::Result<usize> {
        let (address, data) = (address as *mut libc::c_void, data as *mut libc::c_void);
        // SAFETY: what a request stores here is a buffer of the caller's, of the size that the request has.
        match unsafe { libc::ptrace(request, self.tid, address, data) } {
            -1 => Err(io::Error::last_os_error()),
            value => Ok(value as usize),
        }
    }
}

fn stop(status: i32) -> Stop {
    if !libc::WIFSTOPPED(status) {
        return Stop::Ended;
    }
    const OF_CALL: i32 = libc::SIGTRAP | 0x80;
    match (status >> 16, libc::WSTOPSIG(status)) {
        (libc::PTRACE_EVENT_STOP, libc::SIGTRAP) => Stop::Interrupted,
        (libc::PTRACE_EVENT_STOP, _) => Stop::WithProcess,
        (_, OF_CALL) => Stop::SystemCall,
        (_, signal) => Stop::Signal(signal),
    }
}
