//! What events of a program's own cost, in a worker that is this program again, with the agent preloaded; and
//! what it costs to attach to a persistent session.

mod worker;

pub use worker::serve;

use crate::attach::Live;
use crate::clock::{cpus, pinned};
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use crate::{crowd, pairs, spawn, standing};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is wanted.
#[derive(Debug, Args)]
pub struct AuthorOptions {
    /// The agent, as `lookback preload` prints it
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
}

impl AuthorOptions {
    /// The agent; why nothing can be measured without one.
    pub fn agent(&self) -> Result<&Path, String> {
        self.agent.as_deref().ok_or_else(|| "no agent was given".to_string())
    }
}

/// Events in a round: some milliseconds.
const EVENTS: u64 = 50_000;

const ROUNDS: usize = 51;

/// What the worker of a session in which all is on repeats, in the order of its samples.
const ON: [&str; 7] = ["rdtsc", "event", "text", "printk", "span", "span_unrecorded", "tracing"];

/// Loops whose events are disabled, or that have no session.
const OFF: [&str; 3] = ["nothing", "event", "tracing"];

/// Measures everything.
pub fn measure(options: &AuthorOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    progress.say("events of a program's own");
    let agent = options.agent()?;
    let mut report = Report::default();
    measure_events(&mut report, agent)?;
    progress.say("libc calls");
    let programs = ProgramDirectory::new()?;
    pinned(&cpus(1), || pairs::measure(&mut report, &programs, &Ok(agent)));
    progress.say("starts of programs");
    let session = Live::new(&["@default"])?;
    spawn::report(&mut report, &programs, &Ok(agent), &session);
    progress.say("a thousand processes at once");
    crowd::measure(&mut report, agent, &session, &mut worker(agent, Some(&session.path()))?);
    progress.say("persistent sessions");
    standing::measure(&mut report, &Ok(agent));
    Ok(report)
}

fn measure_events(report: &mut Report, agent: &Path) -> Result<(), String> {
    let on = Live::new(&["bench_author:", "lookback_benches_*:", "ftrace:print"])?;
    let off = Live::new(&[])?;
    let mut workers =
        [worker(agent, Some(&on.path()))?, worker(agent, Some(&off.path()))?, worker(agent, None)?];
    let mut on = ON.map(|_| Samples::default());
    let mut off = OFF.map(|_| Samples::default());
    let mut alone = OFF.map(|_| Samples::default());
    for _ in 0..ROUNDS {
        let [with, idle, without] = &mut workers;
        repeat(with, &ON, EVENTS, &mut on)?;
        repeat(idle, &OFF, EVENTS, &mut off)?;
        repeat(without, &OFF, EVENTS, &mut alone)?;
    }
    let [tsc, event, text, printk, span, unrecorded, tracing] = on;
    let [off_nothing, off_event, off_tracing] = off;
    let [alone_nothing, alone_event, alone_tracing] = alone;
    for (name, value) in [
        ("rdtsc_ns", tsc.median()),
        ("author_event_ns", event.median()),
        ("author_event_vs_rdtsc", event.ratio_to(&tsc)),
        ("author_event_text_ns", text.median()),
        ("author_event_off_ns", off_event.more_than(&off_nothing)),
        ("author_event_alone_ns", alone_event.more_than(&alone_nothing)),
        ("trace_printk_ns", printk.median()),
        ("span_enter_exit_ns", span.median()),
        ("span_unrecorded_ns", unrecorded.median()),
        ("tracing_event_ns", tracing.median()),
        ("tracing_off_ns", off_tracing.more_than(&off_nothing)),
        ("tracing_alone_ns", alone_tracing.more_than(&alone_nothing)),
    ] {
        report.add(name, Ok(value));
    }
    Ok(())
}

/// This program as a worker, with the agent, in a session if there is one.
pub fn worker(agent: &Path, session: Option<&Path>) -> Result<Worker, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.arg("author-worker").env("LD_PRELOAD", agent);
    if let Some(session) = session {
        command.env("LOOKBACK_SESSION", session);
    }
    Worker::start(command)
}

/// Has a worker repeat operations, so often each.
pub fn repeat(
    worker: &mut Worker,
    operations: &[&str],
    count: u64,
    samples: &mut [Samples],
) -> Result<(), String> {
    for (operation, samples) in operations.iter().zip(samples) {
        samples.push(worker.repeat(operation, count)?.cpu);
    }
    Ok(())
}
