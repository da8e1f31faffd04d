//! The system calls that have to be allowed: for a thread to be stopped and put back, for the agent to be
//! loaded and to attach the process, and for all that the agent may do after that.

use super::program::ForeseenCall;

/// A system call, with the arguments that filters look at and that are known; the others may be any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededCall {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: &'static str,
    /// Which argument is known, and what it is.
    known: Option<(usize, u64)>,
}

impl NeededCall {
    const fn new(number: i64, name: &'static str) -> NeededCall {
        NeededCall { number, name, known: None }
    }

    /// With one argument that is known.
    const fn with(self, index: usize, argument: i32) -> NeededCall {
        NeededCall { known: Some((index, argument as u64)), ..self }
    }

    pub(crate) fn foreseen(&self) -> ForeseenCall {
        let mut arguments = [None; 6];
        if let Some((index, value)) = self.known {
            arguments[index] = Some(value);
        }
        ForeseenCall { number: self.number, arguments }
    }
}

/// `SYS_$name`, under that name.
macro_rules! call {
    ($number:ident) => {
        NeededCall::new(libc::$number, stringify!($number).split_at(4).1)
    };
}

const READS: i32 = libc::PROT_READ;
const WRITES: i32 = libc::PROT_READ | libc::PROT_WRITE;
const EXECUTES: i32 = libc::PROT_READ | libc::PROT_EXEC;

/// What the kernel has a thread make again that was stopped in a call with a limit of time.
pub(crate) const RESTART: NeededCall = call!(SYS_restart_syscall);

/// What a thread makes that is made to call something.
pub(crate) const CALL_CALLS: &[NeededCall] = &[RESTART, call!(SYS_rt_sigreturn), call!(SYS_getpid)];

/// What it makes, and the dynamic linker and the agent in it, until the process is attached, and when it is
/// detached.
pub(crate) const ATTACH_CALLS: &[NeededCall] = &[
    call!(SYS_mmap).with(2, libc::PROT_NONE),
    call!(SYS_mmap).with(2, READS),
    call!(SYS_mmap).with(2, WRITES),
    call!(SYS_mmap).with(2, EXECUTES),
    call!(SYS_mprotect).with(2, READS),
    call!(SYS_mprotect).with(2, WRITES),
    call!(SYS_munmap),
    call!(SYS_brk),
    call!(SYS_openat),
    call!(SYS_read),
    call!(SYS_pread64),
    call!(SYS_fstat),
    call!(SYS_newfstatat),
    call!(SYS_close),
    call!(SYS_futex),
    call!(SYS_getrandom),
    call!(SYS_sched_getaffinity),
    call!(SYS_geteuid),
    // Where the C library's own word for it is looked for: musl's, or that of a static program.
    call!(SYS_gettid),
    call!(SYS_rt_sigaction),
    call!(SYS_rt_sigprocmask),
    call!(SYS_rt_sigtimedwait),
    call!(SYS_socketpair).with(0, libc::AF_UNIX),
    call!(SYS_recvmsg),
    call!(SYS_readlinkat),
];

/// What the agent makes besides, in a process in which it may.
pub(crate) const AGENT_CALLS: &[NeededCall] = &[
    call!(SYS_access),
    call!(SYS_clone).with(0, libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_UNTRACED),
    call!(SYS_exit),
    call!(SYS_fgetxattr),
    call!(SYS_fstatfs),
    call!(SYS_getegid),
    call!(SYS_getgid),
    call!(SYS_getpriority),
    call!(SYS_getuid),
    call!(SYS_getxattr),
    call!(SYS_kill),
    call!(SYS_lseek),
    call!(SYS_madvise),
    call!(SYS_membarrier),
    call!(SYS_mlock2),
    call!(SYS_mlockall),
    call!(SYS_mprotect).with(2, EXECUTES),
    call!(SYS_mprotect).with(2, EXECUTES | libc::PROT_WRITE),
    call!(SYS_mremap),
    call!(SYS_munlock),
    call!(SYS_munlockall),
    call!(SYS_open),
    call!(SYS_prctl).with(0, libc::PR_GET_NO_NEW_PRIVS),
    call!(SYS_prlimit64),
    call!(SYS_process_vm_readv),
    call!(SYS_process_vm_writev),
    call!(SYS_readlink),
    call!(SYS_rt_tgsigqueueinfo),
    call!(SYS_sched_yield),
    call!(SYS_stat),
    call!(SYS_statfs),
    call!(SYS_wait4),
    call!(SYS_write),
];

impl NeededCall {
    /// Those that have to be allowed for a process to be attached.
    pub fn to_attach() -> impl Iterator<Item = NeededCall> {
        CALL_CALLS.iter().chain(ATTACH_CALLS).copied()
    }

    /// Those that the agent may make besides in a process where all are allowed.
    pub fn of_agent() -> impl Iterator<Item = NeededCall> {
        AGENT_CALLS.iter().copied()
    }
}
