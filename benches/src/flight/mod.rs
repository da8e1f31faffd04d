//! What a flight recorder costs that always records: the calls, the snapshots, and the loads by which the
//! first in-kernel tracers were measured.

mod budget;
mod call;
mod cpu_group;
mod latency;
mod load;
mod way;

use crate::attach::Live;
use crate::clock::{cpus, pinned};
use crate::control;
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::spawn;
use clap::Args;
use load::{ALL, BenchLoad};
use std::path::PathBuf;
use way::Way;

/// What is wanted.
#[derive(Debug, Args)]
pub struct FlightOptions {
    /// The agent, as `lookback preload` prints it
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
    /// Rounds of each load in each way
    #[arg(long, default_value = "9")]
    rounds: usize,
    /// Only this load; may be given several times
    #[arg(long, value_name = "LOAD")]
    load: Vec<String>,
}

/// Measures everything.
pub fn measure(options: &FlightOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    let agent = options.agent.as_deref().ok_or("no agent was given")?;
    let session = Live::new(&["@default"])?;
    let mut report = Report::default();
    let programs = ProgramDirectory::new()?;
    if options.load.is_empty() {
        progress.say("calls");
        report.add("libc_call_vs_two_events", pinned(&cpus(1), || call::vs_two_events(&programs, agent)));
        progress.say("snapshots");
        pinned(&cpus(1), || control::measure_snapshots(&mut report))?;
        progress.say("latency tracers");
        latency::report(&mut report, &programs, agent);
        progress.say("starts of programs");
        spawn::report(&mut report, &programs, &Ok(agent), &session);
    }
    for load in
        ALL.iter().filter(|load| options.load.is_empty() || options.load.iter().any(|name| name == load.name))
    {
        progress.say(load.name);
        let ways = Way::all((agent, &session.path()), programs.path());
        measure_load(&mut report, load, &ways, options.rounds);
        if let Some(row) = load.budget_row {
            report.add(row, budget::held(load, agent, options.rounds));
        }
    }
    Ok(report)
}

/// How much more CPU time the work of a load takes in each way than untraced, in percent; and how many times
/// as much the kernel's events add as ours.
fn measure_load(report: &mut Report, load: &BenchLoad, ways: &[Way; 5], rounds: usize) {
    let [us, noise, ours, kernel, lttng, strace, ratio] = load.rows;
    let samples = match samples(load, ways, rounds) {
        Ok(samples) => samples,
        Err(error) => return report.add(ours, Err(error)),
    };
    let [alone, others @ ..] = &samples;
    let added = |samples: &Samples| 100.0 * (samples.ratio_to(alone) - 1.0);
    report.add(us, Ok(alone.median()));
    report.add(noise, Ok(100.0 * alone.noise() / alone.median()));
    let usable = ways.each_ref().map(Way::is_usable);
    let [_, of_ours, of_kernel, of_lttng, of_strace] = usable;
    let [ours_added, kernel_added, lttng_added, strace_added] = others.each_ref().map(added);
    report.add(ours, of_ours.map(|()| ours_added));
    report.add(kernel, of_kernel.clone().map(|()| kernel_added));
    report.add(lttng, of_lttng.map(|()| lttng_added));
    report.add(strace, of_strace.map(|()| strace_added));
    report.add(ratio, of_kernel.map(|()| kernel_added / ours_added));
}

/// The rounds of a load, in turns.
fn samples<const WAYS: usize>(
    load: &BenchLoad,
    ways: &[Way; WAYS],
    rounds: usize,
) -> Result<[Samples; WAYS], String> {
    let place = load.prepare()?;
    let mut samples = [const { Samples::new() }; WAYS];
    for round in 0..rounds {
        for (way, samples) in ways.iter().zip(&mut samples) {
            if !way.is_slow() || round < load.slow_rounds {
                samples.push(load.us_per_unit(way, place.path())?);
            }
        }
    }
    Ok(samples)
}
