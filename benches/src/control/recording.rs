//! What an event costs that is filtered, or on in two instances.

use crate::attach::Live;
use crate::clock::{cpu_ns_each, ticks_per_us};
use crate::events;
use crate::report::Report;
use crate::samples::Samples;
use rustix::fs::OFlags;
use session::{Author, FilteredSelection, Instance, SessionOptions};
use tracefs::Tree;

/// Events in a round: some milliseconds.
const EVENTS: u64 = 100_000;
const ROUNDS: usize = 101;

/// The loops that are measured in turns: a plain event's first.
const LOOPS: [fn(u64); 5] = [
    events::record_numbers,
    events::record_refused,
    events::record_refused_by_two,
    events::record_passed,
    events::record_shared,
];

/// Measures it.
pub fn measure(report: &mut Report) -> Result<(), String> {
    let live = Live::with(&SessionOptions { instances: 1, snapshots: 1, ..SessionOptions::default() })?;
    live.attach()?;
    events::register()?;
    let second = live.session.session().create_instance("second").map_err(|error| error.to_string())?;
    let wanted = [
        (&live.session, "bench:number"),
        (&live.session, "bench:refused if value > 0xffffffff"),
        (&live.session, "bench:refused_by_two if value >= 0x0 && value > 0xffffffff"),
        (&live.session, "bench:passed if value >= 0x0"),
        (&live.session, "bench:shared"),
        (&second, "bench:shared"),
    ];
    for (session, wanted) in wanted {
        let wanted: FilteredSelection = wanted.parse().map_err(|_| format!("{wanted}: bad selection"))?;
        session.enable(&wanted).map_err(|error| error.to_string())?;
    }
    let mut samples = LOOPS.map(|_| Samples::default());
    for _ in 0..ROUNDS {
        for (work, samples) in LOOPS.into_iter().zip(&mut samples) {
            samples.push(cpu_ns_each(EVENTS, work));
        }
    }
    let [plain, refused, refused_by_two, passed, shared] = samples;
    report.add("event_u64_ns", Ok(plain.median()));
    report.add("event_refused_ns", Ok(refused.median()));
    report.add("event_refused_by_two_ns", Ok(refused_by_two.median()));
    report.add("event_passed_ns", Ok(passed.median()));
    report.add("event_in_two_ns", Ok(shared.median()));
    report.add("filter_reject_vs_event", Ok(refused.ratio_to(&plain)));
    report.add("filter_pass_added", Ok(passed.ratio_to(&plain) - 1.0));
    let second = shared.more_than(&plain);
    report.add("second_instance_ns", Ok(second));
    report.add("second_instance_added", Ok(second / plain.median()));
    report.add("trigger_snapshot_us", snapshots(&live));
    Ok(())
}

/// Measures snapshots alone, in a session of their own.
pub fn measure_snapshots(report: &mut Report) -> Result<(), String> {
    let live = Live::with(&SessionOptions { instances: 1, snapshots: 1, ..SessionOptions::default() })?;
    live.attach()?;
    events::register()?;
    report.add("trigger_snapshot_us", snapshots(&live));
    Ok(())
}

/// Microseconds of an event that has its trigger take a snapshot.
fn snapshots(live: &Live) -> Result<f64, String> {
    let tree = Tree::new(Instance::open(&live.path()).map_err(|error| error.to_string())?);
    let write = |path: &str, text: &str| {
        let written = tree
            .open(path, OFlags::WRONLY)
            .and_then(|mut file| file.write_all(Author::current(), text.as_bytes()));
        written.map_err(|error| format!("{path}: {error}"))
    };
    write("events/bench/kept/trigger", "snapshot")?;
    write("events/bench/kept/enable", "1")?;
    let now = || live.session.buffer().now();
    let ticks_per_us = ticks_per_us(now);
    let mut samples = Samples::default();
    for _ in 0..ROUNDS {
        let start = now();
        events::record_kept(1);
        samples.push((now() - start) as f64 / ticks_per_us);
        if tree.instance().snapshots().is_empty() {
            return Err("the trigger has taken no snapshot".to_string());
        }
        // Its memory is free for the next.
        write("snapshot", "2")?;
    }
    Ok(samples.median())
}
