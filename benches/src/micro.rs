//! The cost of single operations.

use crate::attach::Live;
use crate::calls::{self, Sessions};
use crate::clock::{cpu_ns_each, cpus, pinned};
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use crate::{events, lttng, pairs, spawn, standing, threads};
use clap::{Args, ValueEnum};
use session::{SessionOptions, TraceOption};
use std::path::PathBuf;

/// What is wanted.
#[derive(Debug, Args)]
pub struct MicroOptions {
    /// The agent, as `lookback preload` prints it; rows that need it are skipped without
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
    /// Only this part; may be given several times
    #[arg(long, value_name = "PART")]
    part: Vec<Part>,
}

/// Something that can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Events,
    Calls,
    Threads,
    Starts,
    Sessions,
}

impl MicroOptions {
    fn wants(&self, part: Part) -> bool {
        self.part.is_empty() || self.part.contains(&part)
    }
}

/// Events in a round: some milliseconds.
const EVENTS: u64 = 100_000;

const ROUNDS: usize = 101;

/// Measures everything.
pub fn run(options: &MicroOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    progress.say("preparing");
    let on = Live::with(&SessionOptions { instances: STACKS.len() as u32, ..SessionOptions::default() })?;
    on.enable(&["@default"])?;
    let off = Live::new(&[])?;
    on.attach()?;
    events::register()?;
    let disabled = "bench:disabled".parse().map_err(|_| "bad selection".to_string())?;
    on.session.set(&disabled, false).map_err(|error| error.to_string())?;
    for (name, bytes) in STACKS {
        let instance = on.session.session().create_instance(name).map_err(|error| error.to_string())?;
        let wanted = format!("bench:{name}").parse().map_err(|_| "bad selection".to_string())?;
        let set = || {
            on.session.set(&wanted, false)?;
            instance.set(&wanted, true)?;
            instance.set_stack_bytes(bytes)?;
            instance.set_option(TraceOption::Stacktrace, true)
        };
        set().map_err(|error| error.to_string())?;
    }
    let programs = ProgramDirectory::new()?;
    let agent = options.agent.as_deref().ok_or_else(|| "no agent was given".to_string());
    let mut report = Report::default();
    if options.wants(Part::Events) {
        progress.say("events");
        pinned(&cpus(1), || measure_events(&mut report, &programs));
    }
    if options.wants(Part::Calls) {
        progress.say("libc calls");
        let sessions = Sessions { off: &off, on: &on };
        pinned(&cpus(1), || calls::measure(&mut report, &programs, &agent, sessions));
        pinned(&cpus(1), || pairs::measure(&mut report, &programs, &agent));
    }
    if options.wants(Part::Threads) {
        progress.say("threads");
        let (one, many) = threads::measure();
        report.add("threads8_vs_1", Ok(many.ratio_to(&one)));
    }
    if options.wants(Part::Starts) {
        progress.say("starts of programs");
        spawn::report(&mut report, &programs, &agent, &on);
    }
    if options.wants(Part::Sessions) {
        progress.say("persistent sessions");
        standing::measure(&mut report, &agent);
    }
    Ok(report)
}

/// One of the things that are measured in turns.
type Loop = fn(u64);

/// What runs in this process, by the number of its samples.
const LOOPS: [Loop; 9] = [
    events::read_tsc,
    events::record_numbers,
    events::record_texts,
    events::work_with_disabled_event,
    events::work,
    events::disabled_events,
    events::record_with_stack::<0>,
    events::record_with_stack::<1>,
    events::record_with_stack::<2>,
];

/// Instances that record stacks, and how many bytes of each.
const STACKS: [(&str, u32); 3] = [("stack_928", 928), ("stack_1920", 1920), ("stack_3968", 3968)];

/// LTTng's events, in the order of its samples.
const LTTNG: [&str; 2] = ["number", "text"];

fn measure_events(report: &mut Report, programs: &ProgramDirectory) {
    let mut lttng = lttng::start(programs);
    let mut samples = LOOPS.map(|_| Samples::default());
    let mut peer = LTTNG.map(|_| Samples::default());
    for _ in 0..ROUNDS {
        for (work, samples) in LOOPS.into_iter().zip(&mut samples) {
            samples.push(cpu_ns_each(EVENTS, work));
        }
        lttng = lttng.and_then(|worker| measure_lttng(worker, &mut peer));
    }
    let [tsc, number, text, worked_off, worked, off, stacks @ ..] = samples;
    report.add("rdtsc_ns", Ok(tsc.median()));
    report.add("event_u64_ns", Ok(number.median()));
    report.add("event_str_ns", Ok(text.median()));
    let names = ["event_stack_928_ns", "event_stack_1920_ns", "event_stack_3968_ns"];
    for (name, samples) in names.into_iter().zip(stacks) {
        report.add(name, Ok(samples.median()));
    }
    report.add("event_u64_vs_rdtsc", Ok(number.ratio_to(&tsc)));
    report.add("event_str_vs_rdtsc", Ok(text.ratio_to(&tsc)));
    report.add("event_disabled_ns", Ok(worked_off.more_than(&worked)));
    report.add("event_disabled_row_ns", Ok(off.median()));
    let [peer_number, peer_text] = peer;
    let lttng = lttng.map(|_| ());
    let rows = [
        ("lttng_u64_ns", peer_number.median()),
        ("lttng_str_ns", peer_text.median()),
        ("lttng_vs_event_u64", peer_number.ratio_to(&number)),
        ("lttng_vs_event_str", peer_text.ratio_to(&text)),
    ];
    for (name, value) in rows {
        report.add(name, lttng.clone().map(|()| value));
    }
}

fn measure_lttng(mut worker: Worker, samples: &mut [Samples]) -> Result<Worker, String> {
    for (operation, samples) in LTTNG.into_iter().zip(samples) {
        samples.push(worker.repeat(operation, EVENTS)?.cpu);
    }
    Ok(worker)
}
