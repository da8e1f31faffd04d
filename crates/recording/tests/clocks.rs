//! A recording in each of the clocks, on a machine whose counter can be trusted and on one where it can't.

use recording::Recorder;
use ring_buffer::{Clock, RecordBuffer, Writer, WriterThread};
use rustix::time::ClockId::{Boottime, Monotonic, MonotonicRaw};
use rustix::time::DynamicClockId::{Known, Tai};
use rustix::time::clock_gettime_dynamic;
use session::{Instance, Session, SessionOptions, TraceClock, Tsc};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use trace_data::dat::Recording;
use trace_data::merge::Merge;
use trace_data::record::Records;

/// Events of a recording.
const EVENTS: u64 = 50;

/// The most that a shown time may lie outside of the readings around the event, in ns.
const LIMIT: u64 = 1000;

/// What the clock says, in units of the times that are shown. `ticks` are those of the counter.
fn reading(clock: TraceClock, ticks: u64) -> u64 {
    let id = match clock {
        TraceClock::X86Tsc | TraceClock::Counter => return ticks,
        TraceClock::MonoRaw => Known(MonotonicRaw),
        TraceClock::Boot => Known(Boottime),
        TraceClock::Tai => Tai,
        _ => Known(Monotonic),
    };
    let time = clock_gettime_dynamic(id).unwrap();
    let ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    if clock == TraceClock::Uptime { ns / 10_000_000 } else { ns }
}

/// Writes an event: one of the session's own, so that a report can print it.
fn write(writer: &Writer, id: u16) {
    let mut record = RecordBuffer::<8>::new();
    record.push(abi::common::word(id, 0, 0, 1));
    (0..5).for_each(|_| record.push(0));
    let thread = WriterThread { area: rseq::Area::current(), identity: 1 };
    writer.write(thread, record.event()).unwrap();
}

/// Records events, and gives the readings of the clock before and after each, and what is in the buffer.
fn record(path: &Path, file: &Path, clock: TraceClock, tsc: Tsc) -> (Vec<(u64, u64)>, Clock) {
    let session =
        Session::create(path, &SessionOptions { buffer_kb: 64, clock, tsc, ..SessionOptions::default() })
            .unwrap();
    let id = session.events().find(|event| event.name == "sched_process_exit").unwrap().id;
    let writer = Writer::new(Instance::open(path).unwrap().into_buffer());
    let recorder =
        Recorder::start(path, path.parent().unwrap(), &recording::KernelSelection::default()).unwrap();
    let mut readings = Vec::new();
    for number in 0..EVENTS {
        let before = reading(clock, writer.now());
        write(&writer, id);
        readings.push((before, reading(clock, writer.now())));
        // So that there are deltas that an event's own word doesn't hold.
        std::thread::sleep(Duration::from_millis(if number % 20 == 0 { 60 } else { 1 }));
    }
    let mut recorded = recorder.finish().unwrap();
    recorded.write_dat(File::create(file).unwrap(), recording::Version::Six, |_| {}).unwrap();
    (readings, session.buffer().geometry().clock)
}

/// The name of a file's clock, and the times in it.
fn times(file: &Path) -> (String, Vec<u64>) {
    let mut recording = Recording::open(File::open(file).unwrap()).unwrap();
    let clock = recording.buffers()[0].clock.clone();
    let mut merge = Merge::new(recording.pages(0).unwrap()).unwrap();
    let mut times = Vec::new();
    while let Some(record) = merge.next().unwrap() {
        times.push(record.time);
    }
    (clock, times)
}

/// What trace-cmd says of a file. None, and a note, where it isn't installed.
fn trace_cmd(arguments: &[&str], file: &Path) -> Option<String> {
    let output = Command::new("trace-cmd").args(arguments).arg("-i").arg(file).output();
    let output = output.inspect_err(|error| println!("skipped: trace-cmd: {error}")).ok()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The times that trace-cmd shows, with all digits and without the point between them.
fn shown(report: &str) -> Vec<u64> {
    let lines = report.lines().filter_map(|line| line.split_once("] ").or_else(|| line.split_once(']')));
    lines.map(|(_, rest)| rest.split_once(": ").unwrap().0.trim().replace('.', "").parse().unwrap()).collect()
}

#[test]
fn every_clock_shows_the_time_of_the_event() {
    let directory = tempfile::tempdir().unwrap();
    // What the kernel doesn't trust is not tried.
    let is_trusted = Tsc::of_this_machine() != Tsc::Unstable;
    for tsc in [Tsc::Stable, Tsc::Unstable].into_iter().skip(usize::from(!is_trusted)) {
        for clock in TraceClock::ALL {
            let name = clock.name();
            let (path, file) = (directory.path().join(name), directory.path().join("trace.dat"));
            let (readings, written) = record(&path, &file, clock, tsc);
            Session::remove(&path).unwrap();
            let uses_counter =
                clock == TraceClock::X86Tsc || clock != TraceClock::Counter && tsc == Tsc::Stable;
            assert_eq!(written == Clock::Tsc, uses_counter, "{name}, {tsc:?}");
            let (found, times) = times(&file);
            assert_eq!((found.as_str(), times.len()), (name, readings.len()));
            let slack = if uses_counter && !matches!(clock, TraceClock::X86Tsc | TraceClock::Uptime) {
                LIMIT
            } else {
                0
            };
            for (time, (before, after)) in times.iter().zip(&readings) {
                assert!((before - slack..=after + slack).contains(time), "{name}: {before}, {time}, {after}");
            }
            assert!(times.is_sorted(), "{name}");
            agrees(clock, &times, &file);
        }
    }
}

/// Checks that trace-cmd shows the clock and its times.
fn agrees(clock: TraceClock, times: &[u64], file: &Path) {
    let Some(named) = trace_cmd(&["dump", "--clock"], file) else { return };
    assert!(named.contains(&format!("[{}]", clock.name())), "{named}");
    let report = trace_cmd(&["report", "-t"], file).unwrap();
    assert_eq!(shown(&report), times, "{}", clock.name());
}
