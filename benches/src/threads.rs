//! What an event costs when many threads record at once.

use crate::clock::{cpu_ns_each, cpus, pinned};
use crate::events::record_numbers;
use crate::samples::Samples;
use std::sync::Barrier;

/// Threads that record at once.
const THREADS: usize = 8;

/// Events of each: enough for some time slices, so that the threads take turns on the CPUs.
const EVENTS: u64 = 1_000_000;

const ROUNDS: usize = 21;

/// The processor time per event of one thread, and of many threads on two CPUs.
pub fn measure() -> (Samples, Samples) {
    let (mut one, mut many) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        one.push(measure_with(1));
        many.push(measure_with(THREADS));
    }
    (one, many)
}

fn measure_with(threads: usize) -> f64 {
    let start = Barrier::new(threads);
    let each: Vec<f64> = pinned(&cpus(2), || {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| record_from(&start))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).collect()
        })
    });
    each.iter().sum::<f64>() / each.len() as f64
}

fn record_from(start: &Barrier) -> f64 {
    // A thread's first event enters it into the session, which is not what is measured here.
    record_numbers(100);
    start.wait();
    cpu_ns_each(EVENTS, record_numbers)
}
