//! Threads that may be stopped, and the names of what they sleep in.

use crate::interrupted::StopEffect;
use crate::look::SleepingCall;
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
