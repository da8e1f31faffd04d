//! A persistent session: what it takes while nothing happens, and how long it takes to make one and to keep
//! what it holds.

use crate::clock::wall_ns;
use crate::program::EndedChild;
use crate::report::Report;
use crate::samples::Samples;
use session::{Instance, MOST_INSTANCES, Session, SessionOptions};
use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Sessions that are made, and snapshots of each.
const ROUNDS: usize = 11;

/// A program that does nothing.
const PROGRAM: [&str; 2] = ["/bin/sleep", "60"];

/// Measures everything.
pub fn measure(report: &mut Report, agent: &Result<&Path, String>) {
    let names = ["session_start_ms", "session_snapshot_first_ms", "session_snapshot_us"];
    match times() {
        Ok(samples) => {
            names.iter().zip(&samples).for_each(|(name, samples)| report.add(name, Ok(samples.median())));
        }
        Err(error) => names.iter().for_each(|name| report.add(name, Err(error.clone()))),
    }
    let names = ["session_idle_kb", "session_with_snapshot_kb", "session_limit_kb", "session_tracee_rss_kb"];
    match memory(agent) {
        Ok(figures) => names.iter().zip(figures).for_each(|(name, figure)| report.add(name, figure)),
        Err(error) => names.iter().for_each(|name| report.add(name, Err(error.clone()))),
    }
}

/// A session as `lookback start` makes it, in a directory that goes with it.
fn start() -> Result<(TempDir, Instance), String> {
    let directory = tempfile::Builder::new().prefix("lookback-benches-").tempdir_in("/dev/shm");
    let directory = directory.map_err(|error| format!("/dev/shm: {error}"))?;
    let options = SessionOptions { snapshots: 1, instances: MOST_INSTANCES, ..SessionOptions::default() };
    let session = Session::create(&directory.path().join("session"), &options);
    Ok((directory, session.map_err(|error| error.to_string())?))
}

/// How long it takes to make a session, to take its first snapshot, which takes memory, and another.
fn times() -> Result<[Samples; 3], String> {
    let mut samples = [const { Samples::new() }; 3];
    let [starts, firsts, others] = &mut samples;
    for _ in 0..ROUNDS {
        let before = wall_ns();
        let (_directory, session) = start()?;
        starts.push((wall_ns() - before) / 1e6);
        let take = |samples: &mut Samples, unit: f64| {
            let before = wall_ns();
            session.take_snapshot().map_err(|error| error.to_string())?;
            samples.push((wall_ns() - before) / unit);
            Ok::<_, String>(())
        };
        take(firsts, 1e6)?;
        take(others, 1e3)?;
    }
    Ok(samples)
}

/// Memory of a session's file when it is new, with a snapshot, and at most; and how much of it counts as that
/// of a process that is attached and does nothing.
fn memory(agent: &Result<&Path, String>) -> Result<[Result<f64, String>; 4], String> {
    let (_directory, session) = start()?;
    let file = session.file();
    let blocks = || file.metadata().map_or(0.0, |found| found.blocks() as f64 / 2.0);
    let rss = agent.clone().and_then(|agent| tracee_rss(agent, &session));
    let idle = blocks();
    session.take_snapshot().map_err(|error| error.to_string())?;
    let limit = session.most_bytes() as f64 / 1024.0;
    Ok([Ok(idle), Ok(blocks()), Ok(limit), rss])
}

/// KB of the session that a traced process has touched, with everything off.
fn tracee_rss(agent: &Path, session: &Instance) -> Result<f64, String> {
    let [program, argument] = PROGRAM;
    let mut command = Command::new(program);
    command.arg(argument).env("LD_PRELOAD", agent).env("LOOKBACK_SESSION", session.path());
    let child = command.stdin(Stdio::null()).spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut child = EndedChild(child);
    let start = Instant::now();
    while session.control().find_process(child.0.id()).is_none() {
        let ended = child.0.try_wait().is_ok_and(|status| status.is_some());
        if ended || start.elapsed() > Duration::from_secs(10) {
            return Err(format!("{program} has not attached"));
        }
    }
    // Until it sleeps.
    std::thread::sleep(Duration::from_millis(100));
    let maps = read_to_string(format!("/proc/{}/smaps", child.0.id())).map_err(|error| error.to_string())?;
    rss_of(&maps, &session.file()).ok_or_else(|| "the session is not mapped".to_string())
}

/// KB that the mappings of a file have in memory, from the text of `smaps`.
fn rss_of(smaps: &str, file: &Path) -> Option<f64> {
    let name = file.to_str()?;
    let mut is_in = false;
    let mut sum = None;
    for line in smaps.lines() {
        if let Some(value) = line.strip_prefix("Rss:") {
            let kb = value.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok());
            sum = if is_in { Some(sum.unwrap_or(0.0) + kb.unwrap_or(0.0)) } else { sum };
        } else if line.split_whitespace().next().is_some_and(|first| first.contains('-')) {
            is_in = line.ends_with(name);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_one_file_is_summed() {
        let text = "7f00-7f10 rw-s 0 00:1b 5 /dev/shm/s\nSize: 8 kB\nRss:   12 kB\n\
                    7f20-7f30 rw-s 0 00:1b 5 /lib/other\nRss:   99 kB\n\
                    7f40-7f50 rw-s 0 00:1b 5 /dev/shm/s\nRss:   4 kB\n";
        assert_eq!(rss_of(text, Path::new("/dev/shm/s")), Some(16.0));
        assert_eq!(rss_of(text, Path::new("/none")), None);
    }
}
