//! A child that is run one instruction at a time.
//!
//! The kernel aborts a section when its thread stops, so who steps through one would never see its second
//! instruction. Here the tracer takes the section's descriptor out of the child's rseq area at each stop:
//! then the kernel lets the child go on where it was, as if it had never lost the CPU. That stands for two
//! things that can't be had at will: a kill at exactly this instruction, and a virtual CPU that sleeps
//! there. What it takes away is the protection from others on the same CPU, so nobody may write there
//! meanwhile.

use rseq::Area;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null_mut;

/// The pid namespace of all who write and hold, as their identities have it.
pub const NAMESPACE: u64 = 1 << 32;

/// A child that is stopped.
pub struct Traced {
    pid: i32,
    /// The child's rseq area: at the same address as its parent's.
    area: usize,
    /// The descriptor of the section that it has entered last.
    descriptor: usize,
    /// The instructions of that section, up to the commit.
    section: Range<usize>,
}

/// Bytes from the start of an area to the address of a section's descriptor.
const DESCRIPTOR: usize = 8;
/// Bytes from the start of a descriptor to the address of the section's first instruction, and to its length.
const START: usize = 8;
const LEN: usize = 16;

impl Traced {
    /// Forks a child and stops it right before it does `act`.
    pub fn start(act: impl FnOnce()) -> Traced {
        let area = Area::current().expect("glibc 2.35 or newer");
        // SAFETY: this process has one thread.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            // SAFETY: plain system calls on the child itself.
            unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<c_void>(), null_mut::<c_void>()) };
            stop();
            act();
            stop();
            // SAFETY: ends the child at once: nothing of the test's is its business.
            unsafe { libc::_exit(0) };
        }
        let traced = Traced { pid, area: area.address() as usize, descriptor: 0, section: 0..0 };
        assert_eq!(traced.wait(), libc::SIGSTOP);
        traced
    }

    /// Lets it do one instruction, as if it did not stop before. False when it is after its act.
    pub fn step(&mut self) -> bool {
        let descriptor = self.peek(self.area + DESCRIPTOR);
        if descriptor != 0 {
            let start = self.peek(descriptor + START);
            self.section = start..start + self.peek(descriptor + LEN);
            self.descriptor = descriptor;
            self.request(libc::PTRACE_POKEDATA, self.area + DESCRIPTOR, 0);
        }
        self.go_on()
    }

    /// Steps within a section that the kernel knows of.
    pub fn step_seen(&self) -> bool {
        assert!(self.is_in_section());
        self.request(libc::PTRACE_POKEDATA, self.area + DESCRIPTOR, self.descriptor);
        self.go_on()
    }

    /// Lets it do one instruction as a debugger does. If that was the last before a section, it
    /// [is](Traced::is_in_section) in that now, and not the next time.
    pub fn step_as_debugger(&mut self) -> bool {
        let goes_on = self.go_on();
        let descriptor = self.peek(self.area + DESCRIPTOR);
        self.section = 0..0;
        if descriptor != 0 {
            let start = self.peek(descriptor + START);
            self.section = start..start + self.peek(descriptor + LEN);
        }
        goes_on
    }

    fn go_on(&self) -> bool {
        self.request(libc::PTRACE_SINGLESTEP, 0, 0);
        match self.wait() {
            libc::SIGTRAP => true,
            libc::SIGSTOP => false,
            other => panic!("signal {other} in the middle of an act"),
        }
    }

    /// Whether it has done an instruction of a section, and not yet the last.
    pub fn is_in_section(&self) -> bool {
        let instruction = self.request(libc::PTRACE_PEEKUSER, std::mem::offset_of!(libc::user, regs.rip), 0);
        self.section.contains(&instruction)
    }

    /// What it is called as a lane's owner.
    pub fn identity(&self) -> u64 {
        self.pid as u64 | NAMESPACE
    }

    /// Where it is: its registers, as setjmp(3) keeps them.
    pub fn registers(&self) -> libc::user_regs_struct {
        // SAFETY: plain numbers, all of which the kernel fills in.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        self.request(libc::PTRACE_GETREGS, 0, (&raw mut registers).addr());
        registers
    }

    /// Sends it back to where it was, as longjmp(3) does.
    pub fn set_registers(&self, registers: &libc::user_regs_struct) {
        self.request(libc::PTRACE_SETREGS, 0, (&raw const *registers).addr());
    }

    /// Kills it where it is.
    pub fn kill(self) {
        // SAFETY: a child of ours that has not been waited for.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        let mut status = 0;
        // SAFETY: a child of ours; the status is there to be written.
        unsafe { libc::waitpid(self.pid, &mut status, 0) };
        assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL);
    }

    /// Lets it do the rest undisturbed.
    pub fn finish(self) {
        self.request(libc::PTRACE_CONT, 0, 0);
        assert_eq!(self.wait(), libc::SIGSTOP);
        self.kill();
    }

    /// Waits until it stops, and says by which signal.
    fn wait(&self) -> i32 {
        let mut status = 0;
        // SAFETY: a child of ours.
        unsafe { libc::waitpid(self.pid, &mut status, 0) };
        assert!(libc::WIFSTOPPED(status), "the child ended with status {status:#x}");
        libc::WSTOPSIG(status)
    }

    fn peek(&self, address: usize) -> usize {
        self.request(libc::PTRACE_PEEKDATA, address, 0)
    }

    fn request(&self, request: libc::c_uint, address: usize, data: usize) -> usize {
        // SAFETY: the child's memory and registers are concerned, not ours.
        unsafe { *libc::__errno_location() = 0 };
        // SAFETY: what the request reads or writes of ours lives until it returns.
        let result = unsafe { libc::ptrace(request, self.pid, address as *mut c_void, data as *mut c_void) };
        let error = std::io::Error::last_os_error();
        assert!(result != -1 || error.raw_os_error() == Some(0), "ptrace {request}: {error}");
        result as usize
    }
}

/// Stops the calling thread for its tracer.
fn stop() {
    // SAFETY: a signal to the calling thread alone.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), libc::SIGSTOP) };
}
