//! The clocks of a persistent session.

use super::{Persistent, opens};
use crate::common::*;
use control::Clocks;

/// Microseconds of all clocks.
fn now() -> Clocks {
    let now = Clocks::now();
    let [mono, mono_raw, boot, tai] = [now.mono, now.mono_raw, now.boot, now.tai].map(|ns| ns / 1000);
    Clocks { mono, mono_raw, boot, tai, ..now }
}

/// Starts a session with a clock, records, and gives the times that are shown. Whatever the clock, they are
/// in order and not after what `stat` calls now.
#[track_caller]
fn recorded(clock: &str) -> Vec<u64> {
    let persistent = Persistent::new(&["-C", clock, "-e", "libc:open*_exit"]);
    persistent.run(&opens("/first"));
    persistent.run(&opens("/second"));
    let events = persistent.shown(&[]).events;
    let times: Vec<u64> = events.iter().map(|event| event.time).collect();
    assert!(times.len() >= 2 && times.is_sorted() && times[0] > 0, "{clock}: {times:?}");
    let stat = persistent.done("stat", &["--json", "--interval", "0"]).stdout;
    assert!(stat.contains(&format!("\"trace_clock\":\"{clock}\"")), "{stat}");
    let now = stat.split("\"now_ts\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    // Nanoseconds, where times are shown as seconds with six digits.
    let unit = if matches!(clock, "counter" | "uptime" | "x86-tsc") { 1 } else { 1000 };
    let (now, last) = (now.parse::<u64>().unwrap() / unit, *times.last().unwrap());
    assert!(last <= now + 1, "{clock}: {last} is later than {now}");
    times
}

#[test]
fn times_are_those_of_the_clock() {
    let mono = |clocks: Clocks| clocks.mono;
    for (name, clock) in [
        ("mono", mono as fn(Clocks) -> u64),
        ("local", mono),
        ("global", mono),
        ("perf", mono),
        ("mono_raw", |clocks| clocks.mono_raw),
        ("boot", |clocks| clocks.boot),
        ("tai", |clocks| clocks.tai),
    ] {
        let before = clock(now());
        let times = recorded(name);
        let after = clock(now());
        let (first, last) = (times[0], times[times.len() - 1]);
        // Shown are whole microseconds.
        assert!(before <= first + 1 && last <= after + 1, "{name}: {before} {first} {last} {after}");
        assert!(first < last, "{name}: two programs do not start in a microsecond");
    }
}

#[test]
fn what_is_no_time_counts() {
    let before = now().mono / 10_000;
    let times = recorded("uptime");
    let after = now().mono / 10_000;
    assert!(before <= times[0] && times[times.len() - 1] <= after, "{before} {times:?} {after}");

    // A number is lost where a writer was interrupted.
    let numbers = recorded("counter");
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    assert!(numbers[numbers.len() - 1] < 2 * numbers.len() as u64, "{numbers:?}");

    let before = Clocks::now().tsc;
    let ticks = recorded("x86-tsc");
    let (after, last) = (Clocks::now().tsc, ticks[ticks.len() - 1]);
    assert!(before <= ticks[0] && ticks[0] < last && last <= after, "{before} {ticks:?} {after}");
}

#[test]
fn a_clock_that_there_is_not_makes_no_session() {
    let scratch = Scratch::new();
    let path = scratch.outside("session");
    let known = "expected one of local, global, counter, uptime, perf, mono, mono_raw, boot, tai, x86-tsc";
    for clock in ["", "monotonic", "Boot", "tai "] {
        let mut start = scratch.lookback(&["start", "-C", clock, "--session", path.to_str().unwrap()]);
        run(&mut start).failure(125, &["no clock is called", clock, known]);
        assert!(!path.exists());
    }
    // One that is there keeps its own.
    let persistent = Persistent::new(&["-C", "boot"]);
    run(&mut persistent.task("start", &["-C", "mono"])).failure(125, &["exists already", "leave out -C"]);
    persistent.done("start", &["-C", "boot", "-q"]);
}
