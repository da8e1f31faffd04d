//! Threads that may be stopped, and the names of what they sleep in.

use crate::interrupted::StopEffect;
use crate::look::{SleepingCall, ThreadLook, threads};
use crate::refusal::CallRefusal;
use crate::slept::slept;
use crate::socket;
use crate::target::{TargetProcess, not_permitted};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A thread that may be stopped.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) tid: u32,
    /// What it sleeps in, if it does.
    pub(crate) call: Option<SleepingCall>,
    /// What becomes of that.
    pub(crate) effect: StopEffect,
    /// How long it had slept, and when that was so.
    pub(crate) slept: Option<(Duration, Instant)>,
}

impl Candidate {
    pub(crate) fn running(tid: u32) -> Candidate {
        Candidate { tid, call: None, effect: StopEffect::Restarts, slept: None }
    }
}

/// The threads of a process that may be stopped, whose agent has its code there: first those that sleep in a
/// call that the kernel makes again by itself, then those that run. And why the others may not.
pub(crate) fn candidates(
    target: &TargetProcess,
    own_code: &Range<u64>,
    why: &mut String,
) -> Result<Vec<Candidate>, CallRefusal> {
    let pid = target.pid;
    let mut found = Vec::new();
    for tid in threads(pid) {
        match ThreadLook::at(pid, tid) {
            Ok(ThreadLook::Stopped) => return Err(CallRefusal::Stopped),
            Ok(ThreadLook::Waits) => {
                *why = format!("its thread {tid} waits for a disk, or for a child of vfork(2)");
            }
            Ok(ThreadLook::Runs) => found.push(Candidate::running(tid)),
            Ok(ThreadLook::Sleeps(call)) => match sleeper(target, own_code, (tid, call)) {
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
fn is_function(target: &TargetProcess, own_code: &Range<u64>, address: u64) -> bool {
    target.is_in_libc(address) || own_code.contains(&address)
}

/// A thread that sleeps, if the program doesn't notice when it is stopped; else why it does.
fn sleeper(
    target: &TargetProcess,
    own_code: &Range<u64>,
    (tid, call): (u32, SleepingCall),
) -> Result<Candidate, String> {
    let pid = target.pid;
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
        StopEffect::EndsWithLimit(_)
            if slept.is_none() || !is_function(target, own_code, call.returns_to) =>
        {
            Err(format!("{} with a time limit, of which it isn't known how much is left", sleeps()))
        }
        _ => Ok(Candidate { tid, call: Some(call), effect, slept }),
    }
}

/// The name of a system call, of those that programs sleep in.
pub(crate) fn name(number: i64) -> String {
    let known = match number {
        libc::SYS_read => "read",
        libc::SYS_readv => "readv",
        libc::SYS_write => "write",
        libc::SYS_writev => "writev",
        libc::SYS_accept | libc::SYS_accept4 => "accept",
        libc::SYS_connect => "connect",
        libc::SYS_recvfrom => "recv",
        libc::SYS_recvmsg => "recvmsg",
        libc::SYS_sendto => "send",
        libc::SYS_sendmsg => "sendmsg",
        libc::SYS_sendfile => "sendfile",
        libc::SYS_splice => "splice",
        libc::SYS_ioctl => "ioctl",
        libc::SYS_openat | libc::SYS_open => "open",
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => "epoll_wait",
        libc::SYS_semop | libc::SYS_semtimedop => "semop",
        libc::SYS_rt_sigtimedwait => "sigtimedwait",
        libc::SYS_io_getevents => "io_getevents",
        libc::SYS_io_uring_enter => "io_uring_enter",
        libc::SYS_futex => "futex",
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => "nanosleep",
        libc::SYS_poll | libc::SYS_ppoll => "poll",
        libc::SYS_select | libc::SYS_pselect6 => "select",
        libc::SYS_pause => "pause",
        libc::SYS_rt_sigsuspend => "sigsuspend",
        libc::SYS_wait4 | libc::SYS_waitid => "wait",
        libc::SYS_msgrcv => "msgrcv",
        libc::SYS_mq_timedreceive => "mq_receive",
        libc::SYS_futex_waitv => "futex_waitv",
        libc::SYS_flock => "flock",
        libc::SYS_fcntl => "fcntl",
        _ => return format!("system call {number}"),
    };
    known.to_owned()
}
