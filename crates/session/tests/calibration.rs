//! How far the times that are shown are from those that the clocks say.

use control::Clocks;
use rustix::time::ClockId::{Boottime, Monotonic, MonotonicRaw};
use rustix::time::DynamicClockId::{self, Known, Tai};
use rustix::time::clock_gettime_dynamic;
use session::{Session, SessionOptions, Timeline, TraceClock, Tsc};
use std::time::{Duration, Instant};

/// The clocks that the counter is turned into.
const CLOCKS: [(TraceClock, DynamicClockId<'static>); 4] = [
    (TraceClock::Mono, Known(Monotonic)),
    (TraceClock::MonoRaw, Known(MonotonicRaw)),
    (TraceClock::Boot, Known(Boottime)),
    (TraceClock::Tai, Tai),
];

/// As long as the clocks are watched, and how far the moments are apart: that of a recording.
const WATCHED: Duration = Duration::from_secs(4);
const APART: Duration = Duration::from_secs(1);

/// The most that a time may lie outside of what the clock allows, in ns.
const LIMIT: u64 = 1000;

/// A clock that was read, and the counter before and after.
struct Reading {
    before: u64,
    clock: u64,
    after: u64,
}

fn nanoseconds(clock: DynamicClockId<'_>) -> u64 {
    let time = clock_gettime_dynamic(clock).unwrap();
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[test]
fn converted_times_are_those_of_the_clocks() {
    let directory = tempfile::tempdir().unwrap();
    let options = SessionOptions { buffer_kb: 64, tsc: Tsc::Stable, ..SessionOptions::default() };
    let session = Session::create(&directory.path().join("s"), &options).unwrap();
    let ticks = || session.buffer().now();
    let mut moments = vec![Clocks::now()];
    let mut readings = CLOCKS.map(|_| Vec::new());
    let start = Instant::now();
    while start.elapsed() < WATCHED {
        for ((_, clock), readings) in CLOCKS.iter().zip(&mut readings) {
            let before = ticks();
            let clock = nanoseconds(*clock);
            readings.push(Reading { before, clock, after: ticks() });
        }
        std::thread::sleep(Duration::from_millis(1));
        if start.elapsed() >= APART * moments.len() as u32 {
            moments.push(Clocks::now());
        }
    }
    moments.push(Clocks::now());
    if Tsc::of_this_machine() == Tsc::Unstable {
        println!("skipped: the kernel doesn't trust this machine's counter");
        return;
    }
    for ((shown, _), readings) in CLOCKS.iter().zip(&readings) {
        let line = Timeline::new(session.buffer().geometry().clock, *shown, &moments);
        let mut middles: Vec<u64> = readings.iter().map(|reading| middle_error(&line, reading)).collect();
        let outside = readings.iter().map(|reading| outside(&line, reading)).max().unwrap();
        middles.sort_unstable();
        println!(
            "{}: {} readings, off by {} ns (median), {} ns (99 %); at most {outside} ns outside of a reading",
            shown.name(),
            middles.len(),
            middles[middles.len() / 2],
            middles[middles.len() * 99 / 100],
        );
        assert!(outside <= LIMIT, "{} is off by {outside} ns", shown.name());
    }
}

/// How far the clock is from the time shown for the middle of its reading.
fn middle_error(line: &Timeline, reading: &Reading) -> u64 {
    line.time(reading.before.midpoint(reading.after)).abs_diff(reading.clock)
}

/// How far it is from the times shown for the start and the end of its reading; 0 between them.
fn outside(line: &Timeline, reading: &Reading) -> u64 {
    let early = line.time(reading.before).saturating_sub(reading.clock);
    early.max(reading.clock.saturating_sub(line.time(reading.after)))
}
