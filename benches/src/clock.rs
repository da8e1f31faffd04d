//! What time it took, and where it ran.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// The time of the processor that the calling thread has used, in ns. What other processes do meanwhile
/// does not count.
pub fn thread_cpu_ns() -> f64 {
    nanoseconds(ClockId::ThreadCPUTime)
}

/// The time of processors that ended children have used, in us.
pub fn children_cpu_us() -> f64 {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: space for one; zeros are a value of it, whatever the call does.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let microseconds = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
}

/// Time that passes, in ns.
pub fn wall_ns() -> f64 {
    nanoseconds(ClockId::Monotonic)
}

fn nanoseconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// How far a clock goes in a microsecond.
pub fn ticks_per_us(now: impl Fn() -> u64) -> f64 {
    let (start, ticks) = (wall_ns(), now());
    while wall_ns() - start < 100_000.0 {}
    (now() - ticks) as f64 * 1e3 / (wall_ns() - start)
}

/// The processor time of `count` times something, for each, in ns. `work` does all of them.
pub fn cpu_ns_each(count: u64, work: impl FnOnce(u64)) -> f64 {
    let start = thread_cpu_ns();
    work(count);
    (thread_cpu_ns() - start) / count as f64
}

/// The first `count` CPUs that this process may run on.
pub fn cpus(count: usize) -> Vec<usize> {
    let Ok(allowed) = sched_getaffinity(None) else { return vec![0] };
    (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).take(count).collect()
}

/// Runs `work` in a thread that stays on these CPUs, as do the processes and threads that it starts.
pub fn pinned<T: Send>(cpus: &[usize], work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut set = CpuSet::new();
            cpus.iter().for_each(|cpu| set.set(*cpu));
            // Where that is refused the values are less steady, and still values.
            let _ = sched_setaffinity(None, &set);
            work()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
