//! What wrapping the heap, the locks and the signal mask costs: a malloc with its free, a lock with its
//! unlock, blocking signals and unblocking them.

use crate::attach::Live;
use crate::calls::{Sessions, preloaded};
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::samples::Samples;
use std::path::Path;

/// Pairs in a round.
const PAIRS: u64 = 20_000;

const ROUNDS: usize = 51;

/// An operation of the program, and the rows: alone, added while its events are off, added while they are on.
struct Pair {
    operation: &'static str,
    rows: [&'static str; 3],
    /// What is enabled in the sessions where they are off and on.
    events: [&'static [&'static str]; 2],
}

/// For calls that are recorded on request.
const ON_REQUEST: [&[&str]; 2] = [&["@default"], &["@default", "@mem", "@lock"]];

const MALLOC: Pair = Pair {
    operation: "malloc",
    rows: ["malloc_pair_ns", "malloc_off_added_ns", "malloc_traced_added_ns"],
    events: ON_REQUEST,
};

const MUTEX: Pair = Pair {
    operation: "mutex",
    rows: ["mutex_pair_ns", "mutex_off_added_ns", "mutex_pair_added_ns"],
    events: ON_REQUEST,
};

const MASK: Pair = Pair {
    operation: "sigmask",
    rows: ["sigmask_pair_ns", "sigmask_off_added_ns", "sigmask_pair_added_ns"],
    events: [&["libc:read"], &["@default"]],
};

/// Adds the rows.
pub fn measure(report: &mut Report, programs: &ProgramDirectory, agent: &Result<&Path, String>) {
    for pair in [MALLOC, MUTEX, MASK] {
        let measured = agent.clone().and_then(|agent| measure_pair(&pair, programs, agent));
        for (index, name) in pair.rows.into_iter().enumerate() {
            let value = measured.as_ref().map(|values| values[index]);
            report.add(name, value.map_err(String::clone));
        }
    }
}

fn measure_pair(pair: &Pair, programs: &ProgramDirectory, agent: &Path) -> Result<[f64; 3], String> {
    let [off, on] = pair.events;
    let (off, on) = (Live::new(off)?, Live::new(on)?);
    let sessions = Sessions { off: &off, on: &on };
    let [alone, off, on] = samples(pair.operation, programs, agent, sessions)?;
    Ok([alone.median(), off.more_than(&alone), on.more_than(&alone)])
}

/// Rounds of a pair of calls without lookback, in the first session, and in the second, in turns.
pub fn samples(
    operation: &str,
    programs: &ProgramDirectory,
    agent: &Path,
    sessions: Sessions<'_>,
) -> Result<[Samples; 3], String> {
    let program = programs.compile("pairs", &["-fno-builtin", "-pthread"])?;
    let mut workers = [
        preloaded(&program, &programs.empty_object()?, None)?,
        preloaded(&program, agent, Some(sessions.off))?,
        preloaded(&program, agent, Some(sessions.on))?,
    ];
    let mut samples = [const { Samples::new() }; 3];
    for _ in 0..ROUNDS {
        for (worker, samples) in workers.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat(operation, PAIRS)?.cpu);
        }
    }
    Ok(samples)
}
