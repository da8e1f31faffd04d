//! `cargo xtask fuzz`: reads valid inputs that were damaged at random, and uses control files at random.
//!
//! Whatever a file holds, reading it must not panic, hang, crash or take memory without bound; and what
//! writes into a damaged session must stay within its file. A run is a sequence of numbered cases. What a
//! case does follows from the seed and its number alone, so any of them can be repeated.

mod case;
mod damage;
mod damaged_tree;
mod dat;
mod events;
mod format;
mod journal;
mod page;
mod random;
mod sample;
mod selection;
mod session;
mod tree;
mod watchdog;
mod worker;

use crate::Error;
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use watchdog::Extent;

/// How to fuzz.
#[derive(Debug, Clone, Args)]
pub struct FuzzOptions {
    /// How long
    #[arg(long, value_name = "N", default_value_t = 30)]
    seconds: u64,
    /// As long as it takes for so many inputs
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    executions: Option<u64>,
    /// Where to start: the same seed gives the same cases
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Only this case of the seed, with its panic as it is
    #[arg(long, value_name = "N", requires = "seed")]
    case: Option<u64>,
    /// Only cases of this target: session, dat, format, page, selection, tree or journal
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(case::TARGETS))]
    target: Option<String>,
    /// Runs the cases from this number on, watched by another process
    #[arg(long, hide = true, requires = "seed")]
    worker: Option<u64>,
    /// Where the worker puts its files
    #[arg(long, hide = true)]
    directory: Option<PathBuf>,
}

/// Runs cases. Whether all went well.
pub fn run(options: &FuzzOptions) -> Result<bool, Error> {
    let seed = options.seed.unwrap_or_else(new_seed);
    if let (Some(first), Some(directory)) = (options.worker, &options.directory) {
        worker::run(seed, first, options.target.as_deref(), directory)?;
        return Ok(true);
    }
    let directory = tempfile::Builder::new().prefix("lookback-fuzz-").tempdir_in("/dev/shm");
    let directory = directory.map_err(|error| format!("/dev/shm: {error}"))?;
    if let Some(number) = options.case {
        worker::limit_memory()?;
        case::Cases::new(seed, directory.path())?.run(number);
        return Ok(true);
    }
    println!("seed {seed}");
    let extent = match options.executions {
        Some(executions) => Extent::Executions(executions),
        None => Extent::Until(Instant::now() + Duration::from_secs(options.seconds)),
    };
    watchdog::run(seed, options.target.as_deref(), extent, directory.path())
}

fn new_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    random::Random::new(now.as_nanos() as u64).next() % 1_000_000_000
}
