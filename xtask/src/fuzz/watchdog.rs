//! Watches the process that runs the cases, and goes on when it ends before its time.

use super::case::Cases;
use crate::Error;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a case may take. They take some 100 ms at most.
const PATIENCE: Duration = Duration::from_secs(10);

/// Failures after which a run ends: more say no more.
const MOST_FAILURES: usize = 20;

/// How far a run goes.
#[derive(Debug, Clone, Copy)]
pub enum Extent {
    /// To this moment.
    Until(Instant),
    /// To so many inputs.
    Executions(u64),
}

/// Runs cases, or those of a target, so far. Whether all went well.
pub fn run(seed: u64, target: Option<&str>, extent: Extent, directory: &Path) -> Result<bool, Error> {
    let mut run = Run { seed, target, extent, next: 0, cases: 0, executions: 0, failures: BTreeSet::new() };
    while !run.is_over() {
        run.watch(directory)?;
    }
    println!("{} cases, {} inputs, {} failures", run.cases, run.executions, run.failures.len());
    Ok(run.failures.is_empty())
}

/// A run so far.
#[derive(Debug)]
struct Run<'a> {
    seed: u64,
    /// Whose cases; none for all.
    target: Option<&'a str>,
    extent: Extent,
    /// The number of the next case.
    next: u64,
    /// How many there were.
    cases: u64,
    /// How many inputs they had.
    executions: u64,
    /// What has gone wrong, each kind once.
    failures: BTreeSet<String>,
}

impl Run<'_> {
    fn is_over(&self) -> bool {
        let is_far_enough = match self.extent {
            Extent::Until(end) => Instant::now() >= end,
            Extent::Executions(executions) => self.executions >= executions,
        };
        is_far_enough || self.failures.len() >= MOST_FAILURES
    }

    /// Starts a worker, and watches it until it has ended or all is done.
    fn watch(&mut self, directory: &Path) -> Result<(), Error> {
        let first = self.next;
        let mut worker = start(self.seed, first, self.target, directory)?;
        let lines = lines(worker.stdout.take().ok_or("no pipe")?);
        let why = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => self.take(&line),
                Err(reason) => break Some(reason),
            }
            if self.is_over() {
                break None;
            }
        };
        let _ = worker.kill();
        let status = worker.wait().map_err(|error| error.to_string())?;
        match why {
            Some(RecvTimeoutError::Timeout) => {
                self.fail(&format!("takes more than {} s", PATIENCE.as_secs()));
            }
            Some(RecvTimeoutError::Disconnected) if self.next == first => {
                return Err(format!("the worker doesn't start: {status}"));
            }
            Some(RecvTimeoutError::Disconnected) => self.fail(&format!("ends the process: {status}")),
            None => {}
        }
        Ok(())
    }

    /// Takes what the worker says.
    fn take(&mut self, line: &str) {
        match line.split_once(' ') {
            Some(("case", number)) => {
                self.next = number.parse().map_or(self.next, |number: u64| number + 1);
                self.cases += 1;
                self.executions += Cases::executions(self.next.saturating_sub(1));
            }
            Some(("panic", reason)) => self.fail(reason),
            _ => {}
        }
    }

    /// The current case has failed.
    fn fail(&mut self, reason: &str) {
        let case = self.next.saturating_sub(1);
        let target = Cases::target(case);
        if self.failures.insert(format!("{target}: {reason}")) {
            println!("{target}: {reason}\n    cargo xtask fuzz --seed {} --case {case}", self.seed);
        }
    }
}

fn start(seed: u64, first: u64, target: Option<&str>, directory: &Path) -> Result<Child, Error> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut worker = Command::new(own);
    worker.arg("fuzz").arg("--seed").arg(seed.to_string()).arg("--worker").arg(first.to_string());
    worker.arg("--directory").arg(directory);
    worker.args(target.into_iter().flat_map(|target| ["--target", target]));
    worker.stdout(Stdio::piped()).stdin(Stdio::null());
    worker.spawn().map_err(|error| error.to_string())
}

/// The lines of a pipe, as they come.
fn lines(pipe: ChildStdout) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_belongs_to_the_last_case() {
        let extent = Extent::Executions(100);
        let mut run = Run {
            seed: 3,
            target: None,
            extent,
            next: 0,
            cases: 0,
            executions: 0,
            failures: BTreeSet::new(),
        };
        for line in ["case 8", "panic at a.rs:1: b", "case 15", "panic at a.rs:1: b", "noise"] {
            run.take(line);
        }
        assert_eq!((run.next, run.cases, run.executions), (16, 2, 20));
        assert_eq!(run.failures.into_iter().collect::<Vec<_>>(), ["dat: at a.rs:1: b"]);
    }
}
