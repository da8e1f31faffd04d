//! Many processes at once, and many threads one after the other.

use crate::attach::Live;
use crate::clock::children_cpu_us;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use std::io::{Read, pipe};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command};

/// Processes that are there at once.
const PROCESSES: usize = 1000;

/// How often as many come and go, for each kind.
const ROUNDS: usize = 3;

/// Says that it runs, and waits for the end of its input.
const PROGRAM: [&str; 3] = ["/bin/sh", "-c", "echo; read line"];

/// Threads that come and go.
const THREADS: u64 = 10_000;

/// The rows of [`measure`].
const ROWS: [&str; 3] = ["crowd_attach_us", "crowd_session_grows_kb", "crowd_tracee_grows_kb"];

/// Adds the rows. `worker` is one that records into `session`.
pub fn measure(report: &mut Report, agent: &Path, session: &Live, worker: &mut Worker) {
    let measured = measure_all(agent, session, worker);
    for (index, name) in ROWS.into_iter().enumerate() {
        let value = measured.as_ref().map(|values| values[index]);
        report.add(name, value.map_err(String::clone));
    }
}

fn measure_all(agent: &Path, session: &Live, worker: &mut Worker) -> Result<[f64; 3], String> {
    let (mut loaded, mut traced) = (Samples::new(), Samples::new());
    let memory = || session.session.file().metadata().map_or(0.0, |file| file.blocks() as f64 / 2.0);
    // Pages that are touched for the first time are no growth.
    crowd(agent, Some(session))?;
    worker.repeat("threads", THREADS)?;
    let (kept, own) = (memory(), worker.private_kb()?);
    for _ in 0..ROUNDS {
        loaded.push(crowd(agent, None)?);
        traced.push(crowd(agent, Some(session))?);
    }
    worker.repeat("threads", THREADS)?;
    Ok([traced.more_than(&loaded), memory() - kept, worker.private_kb()? - own])
}

/// Starts all processes, waits until each runs, and ends them. Time of the processor for each, in us.
fn crowd(agent: &Path, session: Option<&Live>) -> Result<f64, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", PROGRAM[0]);
    let before = children_cpu_us();
    let (input, hold) = pipe().map_err(failed)?;
    let (mut ready, output) = pipe().map_err(failed)?;
    let [program, arguments @ ..] = PROGRAM;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("LD_PRELOAD", agent).stdin(input).stdout(output);
    if let Some(session) = session {
        command.env("LOOKBACK_SESSION", session.path());
    }
    let children: Result<Vec<Child>, _> = (0..PROCESSES).map(|_| command.spawn()).collect();
    // It has the other ends of the pipes.
    drop(command);
    let all_run = children.as_ref().map_or(Ok(()), |_| ready.read_exact(&mut [0; PROCESSES]));
    let attached = session.map_or(PROCESSES, |session| {
        session.session.control().processes().filter(|process| process.end_time == 0).count()
    });
    drop(hold);
    for mut child in children.map_err(failed)? {
        child.wait().map_err(failed)?;
    }
    all_run.map_err(failed)?;
    if attached < PROCESSES {
        return Err(format!("only {attached} of {PROCESSES} processes were attached at once"));
    }
    Ok((children_cpu_us() - before) / PROCESSES as f64)
}
