//! What the agent adds to the start of a program.

use crate::attach::Live;
use crate::clock::{children_cpu_us, wall_ns};
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::samples::Samples;
use std::path::Path;
use std::process::{Command, Stdio};

/// About the shortest program there is.
const PROGRAM: &str = "/bin/true";

/// Programs that are started, of each kind.
const STARTS: usize = 1500;

/// Noise, in us, above which the time that passes says nothing about what the agent adds.
const MOST_NOISE: f64 = 4.0;

/// What the starts of one kind have taken, in us.
#[derive(Debug)]
struct Starts {
    /// From the start to the end of the program.
    wall: Samples,
    /// Of a processor: this is not changed by what else the machine does.
    cpu: Samples,
}

impl Starts {
    const fn new() -> Starts {
        Starts { wall: Samples::new(), cpu: Samples::new() }
    }
}

/// Adds the rows.
pub fn report(
    report: &mut Report,
    programs: &ProgramDirectory,
    agent: &Result<&Path, String>,
    session: &Live,
) {
    let measured = agent.clone().and_then(|agent| measure(&programs.empty_object()?, agent, session));
    match measured {
        Ok([alone, loaded, traced]) => {
            report.add("exec_us", Ok(alone.wall.median()));
            report.add("exec_added_us", added_wall(&alone, &traced));
            report.add("attach_us", Ok(traced.cpu.median() - loaded.cpu.median()));
            report.add("exec_added_cpu_us", Ok(traced.cpu.median() - alone.cpu.median()));
        }
        Err(reason) => report.add("exec_added_us", Err(reason)),
    }
}

/// How much longer it takes from start to end, if that can be said: on a busy machine programs mostly wait.
fn added_wall(alone: &Starts, traced: &Starts) -> Result<f64, String> {
    let noise = alone.wall.noise().max(traced.wall.noise());
    if noise > MOST_NOISE {
        return Err(format!("the machine is busy: the same start differs by {noise:.0} us"));
    }
    Ok(traced.wall.median() - alone.wall.median())
}

/// Starts the program with an object preloaded that has nothing in it, with the agent where there is no
/// session, and with the agent, recording into `session`.
fn measure(empty: &Path, agent: &Path, session: &Live) -> Result<[Starts; 3], String> {
    let mut alone = Command::new(PROGRAM);
    alone.env_clear().env("LD_PRELOAD", empty);
    let mut loaded = Command::new(PROGRAM);
    loaded.env_clear().env("LD_PRELOAD", agent);
    let mut traced = Command::new(PROGRAM);
    traced.env_clear().env("LD_PRELOAD", agent).env("LOOKBACK_SESSION", session.path());
    let mut kinds = [alone, loaded, traced];
    let mut starts = [const { Starts::new() }; 3];
    for _ in 0..STARTS {
        for (command, starts) in kinds.iter_mut().zip(&mut starts) {
            start(command, starts)?;
        }
    }
    Ok(starts)
}

fn start(command: &mut Command, starts: &mut Starts) -> Result<(), String> {
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let (wall, cpu) = (wall_ns(), children_cpu_us());
    let status = command.status().map_err(|error| format!("{PROGRAM}: {error}"))?;
    starts.wall.push((wall_ns() - wall) / 1000.0);
    starts.cpu.push(children_cpu_us() - cpu);
    if status.success() { Ok(()) } else { Err(format!("{PROGRAM} ended with {status}")) }
}
