//! What becomes of a system call that is interrupted by a stop, without a signal.
//!
//! Each line was checked by `tests/`: a program that sits in the call.

use crate::look::SleepingCall;

/// A call that the kernel is to make again: it has returned EINTR to a program whose signals all are handled
/// with `SA_RESTART`, but only if one is.
const RESTARTNOHAND: i64 = -514;

/// The kernel's numbers for calls that it makes again by itself: ERESTARTSYS to ERESTART_RESTARTBLOCK.
const RESTARTS: [i64; 4] = [-512, -513, RESTARTNOHAND, RESTARTBLOCK];

/// A call that the kernel makes again by what only it knows.
const RESTARTBLOCK: i64 = -516;

const EINTR: i64 = -(libc::EINTR as i64);

/// What a stop does to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopEffect {
    /// The kernel makes it again by itself, with the time that is left.
    Restarts,
    /// It returns EINTR, and has to be made again.
    Ends,
    /// So does one that has a limit of time, which has to become what is left of it.
    EndsWithLimit(TimeLimit),
    /// That depends on what it waits for: the first argument is a descriptor.
    Input,
    /// The program would notice.
    Shows,
}

/// Where a call has its limit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    /// Milliseconds in an argument; negative for none.
    Milliseconds(usize),
    /// An argument leads to a `struct timespec`.
    Timespec(usize),
}

impl StopEffect {
    /// What a stop does to a call that a thread sleeps in.
    pub(crate) fn on(call: &SleepingCall) -> StopEffect {
        let [first, second, third, fourth, fifth, _] = call.arguments;
        let timespec = |index: usize, pointer| match pointer {
            0 => StopEffect::Ends,
            _ => StopEffect::EndsWithLimit(TimeLimit::Timespec(index)),
        };
        match call.number {
            libc::SYS_nanosleep
            | libc::SYS_clock_nanosleep
            | libc::SYS_poll
            | libc::SYS_ppoll
            | libc::SYS_select
            | libc::SYS_pselect6
            | libc::SYS_pause
            | libc::SYS_rt_sigsuspend
            | libc::SYS_wait4
            | libc::SYS_waitid
            | libc::SYS_msgrcv
            | libc::SYS_msgsnd
            | libc::SYS_mq_timedreceive
            | libc::SYS_mq_timedsend
            | libc::SYS_flock
            | libc::SYS_restart_syscall
            | libc::SYS_futex_waitv => StopEffect::Restarts,
            libc::SYS_futex => futex(second),
            libc::SYS_fcntl => match second as i32 {
                libc::F_SETLKW | libc::F_OFD_SETLKW => StopEffect::Restarts,
                _ => StopEffect::Shows,
            },
            // Nothing is read before one sleeps; but from files of drivers and of FUSE anything may come.
            libc::SYS_read | libc::SYS_readv | libc::SYS_accept | libc::SYS_accept4 | libc::SYS_connect => {
                StopEffect::Input
            }
            libc::SYS_recvfrom => receive(fourth),
            libc::SYS_recvmsg => receive(third),
            libc::SYS_epoll_wait | libc::SYS_epoll_pwait => match fourth as i32 {
                ..0 => StopEffect::Ends,
                _ => StopEffect::EndsWithLimit(TimeLimit::Milliseconds(3)),
            },
            libc::SYS_epoll_pwait2 => timespec(3, fourth),
            libc::SYS_semop => StopEffect::Ends,
            libc::SYS_semtimedop => timespec(3, fourth),
            libc::SYS_rt_sigtimedwait => timespec(2, third),
            libc::SYS_io_getevents => timespec(4, fifth),
            // Only one that submits nothing, and has no limit of time.
            libc::SYS_io_uring_enter if second == 0 && first != 0 && fourth & EXTENDED == 0 => {
                StopEffect::Ends
            }
            _ => StopEffect::Shows,
        }
    }
}

/// IORING_ENTER_EXT_ARG: a limit of time in memory.
const EXTENDED: u64 = 8;

/// FUTEX_WAIT_REQUEUE_PI says that the value has changed when it is interrupted.
fn futex(operation: u64) -> StopEffect {
    let command = operation as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET | libc::FUTEX_LOCK_PI | LOCK_PI2 => StopEffect::Restarts,
        _ => StopEffect::Shows,
    }
}

const LOCK_PI2: i32 = 13;

/// One that waits for all that it was asked for may have a part of it.
fn receive(flags: u64) -> StopEffect {
    if flags as i32 & libc::MSG_WAITALL != 0 { StopEffect::Shows } else { StopEffect::Input }
}

/// What `rax` is to be when a thread goes on that was stopped in a call with this result: the kernel looks at
/// it before it looks for signals.
pub(crate) fn mended(number: i64, result: i64, may_restart: bool) -> i64 {
    let ends = matches!(
        number,
        libc::SYS_epoll_wait
            | libc::SYS_epoll_pwait
            | libc::SYS_epoll_pwait2
            | libc::SYS_semop
            | libc::SYS_semtimedop
            | libc::SYS_rt_sigtimedwait
            | libc::SYS_io_getevents
            | libc::SYS_io_uring_enter
            | libc::SYS_read
            | libc::SYS_readv
            | libc::SYS_accept
            | libc::SYS_accept4
            | libc::SYS_connect
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg
    );
    match result {
        EINTR if ends => RESTARTNOHAND,
        // With its whole limit of time once more, rather than by another number, which is forbidden.
        RESTARTBLOCK if !may_restart => RESTARTNOHAND,
        _ => result,
    }
}

/// Whether a thread with these registers is about to make its call again.
fn makes_again(number: i64, result: i64) -> bool {
    number >= 0 && RESTARTS.contains(&result)
}

/// What a thread has in `rax`, and is its instruction pointer moved back to the call, if it has to make the
/// call again by itself.
pub(crate) fn by_itself(number: i64, result: i64) -> (i64, bool) {
    match result {
        _ if !makes_again(number, result) => (result, false),
        RESTARTBLOCK => (EINTR, false),
        _ => (number, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(number: i64, arguments: [u64; 6]) -> StopEffect {
        StopEffect::on(&SleepingCall { number, arguments, stack: 0, returns_to: 0 })
    }

    #[test]
    fn limits_of_time_are_found() {
        let wait = |limit: i32| effect(libc::SYS_epoll_wait, [5, 1, 1, limit as u32 as u64, 0, 0]);
        assert_eq!(wait(-1), StopEffect::Ends);
        assert_eq!(wait(100), StopEffect::EndsWithLimit(TimeLimit::Milliseconds(3)));
        assert_eq!(effect(libc::SYS_rt_sigtimedwait, [1, 0, 0, 8, 0, 0]), StopEffect::Ends);
        let limited = effect(libc::SYS_rt_sigtimedwait, [1, 0, 0x7000, 8, 0, 0]);
        assert_eq!(limited, StopEffect::EndsWithLimit(TimeLimit::Timespec(2)));
    }

    #[test]
    fn what_may_be_done_in_part_shows() {
        for number in [libc::SYS_write, libc::SYS_sendto, libc::SYS_sendfile, libc::SYS_ioctl] {
            assert_eq!(effect(number, [1, 0, 0, 0, 0, 0]), StopEffect::Shows);
        }
        let receive = |flags: i32| effect(libc::SYS_recvfrom, [1, 0, 0, flags as u64, 0, 0]);
        assert_eq!((receive(0), receive(libc::MSG_WAITALL)), (StopEffect::Input, StopEffect::Shows));
    }

    #[test]
    fn calls_are_made_again() {
        assert_eq!(mended(libc::SYS_epoll_wait, EINTR, true), RESTARTNOHAND);
        assert_eq!(mended(libc::SYS_epoll_wait, 3, true), 3);
        assert_eq!(mended(libc::SYS_close, EINTR, true), EINTR);
        let poll = |may_restart| mended(libc::SYS_poll, RESTARTBLOCK, may_restart);
        assert_eq!((poll(true), poll(false)), (RESTARTBLOCK, RESTARTNOHAND));
        assert_eq!(by_itself(libc::SYS_read, -512), (libc::SYS_read, true));
        assert_eq!(by_itself(libc::SYS_nanosleep, RESTARTBLOCK), (EINTR, false));
        assert_eq!(by_itself(-1, -512), (-512, false), "in no call");
    }
}
