//! Threads that wait in the kernel while others switch sites, and notice when something wakes them up.

use core::ptr::{null, null_mut};
use core::time::Duration;
use std::io;
use std::sync::atomic::AtomicU32;
use std::thread;

/// What a thread waits in, to its end.
pub const WAITS: [fn(); 6] = [epoll_wait, nanosleep, read_pipe, read_eventfd, futex, semaphore];

/// How long a wait is, which nobody ends before.
const LENGTH: Duration = Duration::from_millis(20);

/// No signal of other tests comes to the calling thread.
pub fn block_signals() {
    // SAFETY: the set is this function's.
    unsafe {
        let mut all = core::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, null_mut());
    }
}

fn length() -> libc::timespec {
    libc::timespec { tv_sec: 0, tv_nsec: LENGTH.subsec_nanos().into() }
}

/// A wait has ended as it does when nothing but the clock ends it.
#[track_caller]
fn assert_result(found: libc::c_long, expected: libc::c_long) {
    assert_eq!(found, expected, "{}", io::Error::last_os_error());
}

/// A wait has ended because its time was over.
#[track_caller]
fn assert_timed_out(found: libc::c_long) {
    let error = io::Error::last_os_error();
    assert_eq!((found, error.raw_os_error()), (-1, Some(libc::ETIMEDOUT)), "{error}");
}

fn epoll_wait() {
    // SAFETY: there is space for one event.
    unsafe {
        let epoll = libc::epoll_create1(0);
        let mut event = core::mem::zeroed();
        assert_result(libc::epoll_wait(epoll, &mut event, 1, LENGTH.as_millis() as i32).into(), 0);
        libc::close(epoll);
    }
}

fn nanosleep() {
    // SAFETY: the time is there.
    assert_result(unsafe { libc::nanosleep(&length(), null_mut()) }.into(), 0);
}

/// Reads what another thread writes later.
fn read_when_written(reads: libc::c_int, writes: libc::c_int) {
    let writer = thread::spawn(move || {
        thread::sleep(LENGTH);
        let word = 7_u64;
        // SAFETY: it is a word.
        assert_result(unsafe { libc::write(writes, (&raw const word).cast(), 8) } as libc::c_long, 8);
    });
    let mut word = 0_u64;
    // SAFETY: there is space for a word.
    assert_result(unsafe { libc::read(reads, (&raw mut word).cast(), 8) } as libc::c_long, 8);
    writer.join().unwrap();
    assert_eq!(word, 7);
}

fn read_pipe() {
    let mut ends = [0; 2];
    // SAFETY: there is space for two.
    assert_result(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }.into(), 0);
    let [reads, writes] = ends;
    read_when_written(reads, writes);
    for end in ends {
        // SAFETY: it is this function's.
        unsafe { libc::close(end) };
    }
}

fn read_eventfd() {
    // SAFETY: it makes a descriptor.
    let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    read_when_written(event, event);
    // SAFETY: it is this function's.
    unsafe { libc::close(event) };
}

fn futex() {
    let word = AtomicU32::new(1);
    // SAFETY: the word and the time are there as long as the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            1,
            &length(),
            null::<u32>(),
            0,
        )
    };
    assert_timed_out(result);
}

/// The C library's own wait: what a thread does in it that waits for a lock or a condition, which say nothing
/// of an EINTR.
fn semaphore() {
    // SAFETY: the semaphore stays where it is until it is destroyed.
    unsafe {
        let mut semaphore = core::mem::zeroed();
        libc::sem_init(&mut semaphore, 0, 0);
        let mut until = core::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_REALTIME, &mut until);
        until.tv_nsec += length().tv_nsec;
        if until.tv_nsec >= 1_000_000_000 {
            (until.tv_sec, until.tv_nsec) = (until.tv_sec + 1, until.tv_nsec - 1_000_000_000);
        }
        assert_timed_out(libc::sem_timedwait(&mut semaphore, &until).into());
        libc::sem_destroy(&mut semaphore);
    }
}
