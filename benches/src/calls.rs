//! What a traced libc call costs, next to other tools that trace calls.

use crate::attach::Live;
use crate::peers::{PEERS, Peer};
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use std::path::Path;
use std::process::Command;

/// Calls in a round.
const CALLS: u64 = 20_000;

const ROUNDS: usize = 51;

/// Rounds with the peers.
const PEER_ROUNDS: usize = 11;

/// Runs the worker with `object` preloaded, in `session` if there is one.
pub fn preloaded(program: &Path, object: &Path, session: Option<&Live>) -> Result<Worker, String> {
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", object);
    if let Some(session) = session {
        command.env("LOOKBACK_SESSION", session.path());
    }
    Worker::start(command)
}

/// A session in which nothing is on, and one in which everything is.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'a> {
    /// The first.
    pub off: &'a Live,
    /// The second.
    pub on: &'a Live,
}

/// Adds the rows: with our agent, and with the peers.
pub fn measure(
    report: &mut Report,
    programs: &ProgramDirectory,
    agent: &Result<&Path, String>,
    sessions: Sessions<'_>,
) {
    const NAMES: [&str; 5] = [
        "libc_call_ns",
        "libc_call_off_added_ns",
        "libc_call_added_ns",
        "libc_entry_added_ns",
        "libc_exit_added_ns",
    ];
    let program = programs.compile("calls", &["-Wl,-z,lazy"]);
    let measured = program.clone().and_then(|program| {
        let agent = agent.clone()?;
        measure_agent(&program, &programs.empty_object()?, agent, sessions)
    });
    match &measured {
        Ok(values) => NAMES.into_iter().zip(values).for_each(|(name, value)| report.add(name, Ok(*value))),
        Err(reason) => NAMES.into_iter().for_each(|name| report.add(name, Err(reason.clone()))),
    }
    let factor = program.clone().and_then(|program| {
        let agent = agent.clone()?;
        let traced = preloaded(&program, agent, Some(sessions.on))?;
        factor(&program, traced, CALLS)
    });
    report.add("lookback_call_factor", factor);
    for peer in PEERS {
        let factor = program.clone().and_then(|program| peer_factor(peer, &program, programs.path()));
        report.add(peer.row, factor);
    }
}

/// What a call costs; how much more it does with the agent while its events are off, with both, with the
/// entry alone, and with the exit alone, which then reads the clock for its duration.
fn measure_agent(
    program: &Path,
    empty: &Path,
    agent: &Path,
    sessions: Sessions<'_>,
) -> Result<[f64; 5], String> {
    let (entries, exits) = (Live::new(&["libc:read"])?, Live::new(&["libc:read_exit"])?);
    let mut workers = [
        preloaded(program, empty, None)?,
        preloaded(program, agent, Some(sessions.off))?,
        preloaded(program, agent, Some(sessions.on))?,
        preloaded(program, agent, Some(&entries))?,
        preloaded(program, agent, Some(&exits))?,
    ];
    let mut samples = [const { Samples::new() }; 5];
    for _ in 0..ROUNDS {
        for (worker, samples) in workers.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat("read", CALLS)?.cpu);
        }
    }
    let [alone, off, both, entry, exit] = samples;
    let [off, both, entry, exit] = [off, both, entry, exit].map(|samples| samples.more_than(&alone));
    Ok([alone.median(), off, both, entry, exit])
}

fn peer_factor(peer: &Peer, program: &Path, directory: &Path) -> Result<f64, String> {
    let traced = Worker::start(peer.command(program, directory)?)?;
    factor(program, traced, peer.calls)
}

/// How many times as long a call takes in a traced worker, by the time that passes: a tool may work in
/// another process.
fn factor(program: &Path, mut traced: Worker, calls: u64) -> Result<f64, String> {
    let mut alone = Worker::start(Command::new(program))?;
    let (mut with, mut without) = (Samples::default(), Samples::default());
    for _ in 0..PEER_ROUNDS {
        without.push(alone.repeat("read", CALLS)?.wall);
        with.push(traced.repeat("read", calls)?.wall);
    }
    Ok(with.ratio_to(&without))
}
