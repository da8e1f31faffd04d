//! How long a thread has been asleep.
//!
//! Nobody but the scheduler knows: `/proc/PID/sched` has the time at which a thread was last on a CPU, by
//! that CPU's clock. What that clock shows now is found by being on that CPU.

use rustix::thread::{CpuSet, sched_setaffinity, sched_yield};
use std::fs::read_to_string;
use std::time::Duration;

/// How long a sleeping thread has been asleep, to a millisecond or so. None where that can't be found out:
/// where the caller may not run on the thread's CPU, or the kernel doesn't say.
pub(crate) fn slept(pid: u32, tid: u32) -> Option<Duration> {
    let place = format!("/proc/{pid}/task/{tid}");
    let cpu = cpu(&read_to_string(format!("{place}/stat")).ok()?)?;
    let then = last_run(&read_to_string(format!("{place}/sched")).ok()?)?;
    // In a thread that ends: its CPUs don't have to be put back.
    let now = std::thread::spawn(move || {
        let mut cpus = CpuSet::new();
        cpus.set(cpu);
        sched_setaffinity(None, &cpus).ok()?;
        sched_yield();
        last_run(&read_to_string("/proc/thread-self/sched").ok()?)
    });
    now.join().ok()??.checked_sub(then)
}

/// The CPU that a thread was on last: the 39th field.
fn cpu(stat: &str) -> Option<usize> {
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split_whitespace().nth(36)?.parse().ok()
}

/// `se.exec_start : 1279554.159149`, in milliseconds.
fn last_run(sched: &str) -> Option<Duration> {
    let line = sched.lines().find(|line| line.starts_with("se.exec_start"))?;
    let milliseconds: f64 = line.rsplit(':').next()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_sleeping_thread_is_seen_to_sleep_longer_and_longer() {
        let (say, hear) = channel();
        let (end, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            say.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            let _ = wait.recv();
        });
        let tid = hear.recv().unwrap();
        let pid = std::process::id();
        let pause = Duration::from_millis(50);
        std::thread::sleep(pause);
        let first = slept(pid, tid);
        std::thread::sleep(pause);
        let second = slept(pid, tid);
        drop(end);
        thread.join().unwrap();
        // A kernel without /proc/PID/sched says nothing.
        if let (Some(first), Some(second)) = (first, second) {
            assert!(second >= first + pause / 2, "{first:?} {second:?}");
        }
    }
}
