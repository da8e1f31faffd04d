//! The ring buffer by itself: one process, no session, no event sites.

mod bytes;
mod fixture;
mod reading;
mod spsc;
mod writing;

use crate::clock::{cpu_ns_each, cpus, pinned};
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::{events, lttng};
pub use fixture::bytes_per_event;
use fixture::{Fixture, Route};
use ring_buffer::Clock;
use std::sync::Barrier;

/// Events in a round: some milliseconds.
const EVENTS: u64 = 100_000;
const ROUNDS: usize = 51;
/// Threads that write at once.
const THREADS: usize = 8;
/// Events of each: enough for some time slices.
const EVENTS_OF_THREAD: u64 = 1_000_000;
const THREAD_ROUNDS: usize = 11;

/// KB of each CPU's ring, and what its row is called.
const SIZES: [(u32, &str); 5] = [
    (64, "write_u64_64K_ns"),
    (1024, "write_u64_1M_ns"),
    (4096, "write_u64_4M_ns"),
    (16_384, "write_u64_16M_ns"),
    (65_536, "write_u64_64M_ns"),
];

/// Measures everything.
pub fn measure() -> Result<Report, String> {
    let progress = BenchProgress::new();
    let mut report = Report::default();
    progress.say("writing");
    pinned(&cpus(1), || measure_writes(&mut report))?;
    progress.say("clocks");
    pinned(&cpus(1), || measure_clocks(&mut report))?;
    progress.say("bytes");
    pinned(&cpus(1), || bytes::measure(&mut report))?;
    progress.say("sizes");
    pinned(&cpus(1), || measure_sizes(&mut report))?;
    progress.say("threads");
    measure_threads(&mut report)?;
    progress.say("reading");
    pinned(&cpus(1), || reading::measure(&mut report))?;
    Ok(report)
}

fn measure_writes(report: &mut Report) -> Result<(), String> {
    let ring = Fixture::new(4096, 4096)?;
    let large_pages = Fixture::new(4096, 524_288)?;
    let mut spsc = spsc::SpscRing::new(EVENTS);
    let mut lttng = ProgramDirectory::new().and_then(|programs| Ok((lttng::start(&programs)?, programs)));
    let mut theirs = Samples::default();
    let mut samples = [(); 8].map(|()| Samples::default());
    for _ in 0..ROUNDS {
        let [tsc, number, bytes, page, changes, stays, lanes, peer] = &mut samples;
        tsc.push(cpu_ns_each(EVENTS, events::read_tsc));
        number.push(cpu_ns_each(EVENTS, |count| writing::numbers(&ring, Route::Cpu, count)));
        peer.push(spsc.measure(EVENTS));
        bytes.push(cpu_ns_each(EVENTS, |count| writing::bytes(&ring, count)));
        lanes.push(cpu_ns_each(EVENTS, |count| writing::numbers(&ring, Route::Lane, count)));
        page.push(cpu_ns_each(EVENTS / 10, |count| writing::pages(&large_pages, count)));
        changes.push(cpu_ns_each(EVENTS / 10, |count| writing::whole_pages(&ring, count)));
        stays.push(cpu_ns_each(EVENTS / 10, |count| writing::whole_pages(&large_pages, count)));
        lttng = lttng.and_then(|(mut worker, programs)| {
            let taken = worker.repeat("number", EVENTS)?;
            theirs.push(taken.cpu);
            Ok((worker, programs))
        });
    }
    let [tsc, number, bytes, page, changes, stays, lanes, peer] = samples;
    report.add("rdtsc_ns", Ok(tsc.median()));
    report.add("write_u64_ns", Ok(number.median()));
    report.add("write_u64_vs_rdtsc", Ok(number.ratio_to(&tsc)));
    report.add("write_64B_vs_rdtsc", Ok(bytes.ratio_to(&tsc)));
    report.add("write_4KiB_ns", Ok(page.median()));
    report.add("page_change_ns", Ok(changes.more_than(&stays)));
    report.add("norseq_vs_rdtsc", Ok(lanes.ratio_to(&tsc)));
    report.add("spsc_ns", Ok(peer.median()));
    report.add("spsc_vs_ours", Ok(peer.ratio_to(&number)));
    report.add("lttng_vs_ours", lttng.map(|_| theirs.ratio_to(&number)));
    Ok(())
}

/// The clocks that are read by a call before the section, and the number that all CPUs share.
fn measure_clocks(report: &mut Report) -> Result<(), String> {
    for (clock, name) in [(Clock::Monotonic, "write_u64_mono_ns"), (Clock::Counter, "write_u64_counter_ns")] {
        let ring = Fixture::with_clock(4096, 4096, clock)?;
        let mut samples = Samples::default();
        for _ in 0..ROUNDS {
            samples.push(cpu_ns_each(EVENTS, |count| writing::numbers(&ring, Route::Cpu, count)));
        }
        report.add(name, Ok(samples.median()));
    }
    Ok(())
}

fn measure_sizes(report: &mut Report) -> Result<(), String> {
    let mut samples = SIZES.map(|_| Samples::default());
    for (samples, (kb, _)) in samples.iter_mut().zip(SIZES) {
        let ring = Fixture::new(kb, 4096)?;
        // Once around, so that no page is touched for the first time.
        writing::numbers(&ring, Route::Cpu, u64::from(kb) * 1024 / 20 + EVENTS);
        for _ in 0..ROUNDS {
            samples.push(cpu_ns_each(EVENTS, |count| writing::numbers(&ring, Route::Cpu, count)));
        }
    }
    for (samples, (_, name)) in samples.iter().zip(SIZES) {
        report.add(name, Ok(samples.median()));
    }
    Ok(())
}

fn measure_threads(report: &mut Report) -> Result<(), String> {
    let ring = Fixture::new(4096, 4096)?;
    let (mut one, mut many) = (Samples::default(), Samples::default());
    for _ in 0..THREAD_ROUNDS {
        one.push(with_threads(&ring, 1));
        many.push(with_threads(&ring, THREADS));
    }
    report.add("ring_threads8_vs_1", Ok(many.ratio_to(&one)));
    Ok(())
}

/// Processor time of an event, when so many threads write on two CPUs.
fn with_threads(ring: &Fixture, threads: usize) -> f64 {
    let start = Barrier::new(threads);
    let work = || {
        start.wait();
        cpu_ns_each(EVENTS_OF_THREAD, |count| writing::numbers(ring, Route::Cpu, count))
    };
    let each: Vec<f64> = pinned(&cpus(2), || {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).collect()
        })
    });
    each.iter().sum::<f64>() / each.len() as f64
}
