//! A program that repeats an operation on request; see `programs/worker.h`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A worker that runs.
#[derive(Debug)]
pub struct Worker {
    name: String,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// What an operation has taken, in ns for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// Time that passed.
    pub wall: f64,
    /// Time of the processor that its thread used.
    pub cpu: f64,
}

impl Worker {
    /// Starts it.
    pub fn start(mut command: Command) -> Result<Worker, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        let orders = child.stdin.take();
        let answers = child.stdout.take().ok_or("no pipe")?;
        Ok(Worker { name, child, orders, answers: BufReader::new(answers) })
    }

    /// Lets it repeat an operation.
    pub fn repeat(&mut self, operation: &str, count: u64) -> Result<Taken, String> {
        self.try_repeat(operation, count).ok_or_else(|| self.why_it_ended())
    }

    fn try_repeat(&mut self, operation: &str, count: u64) -> Option<Taken> {
        writeln!(self.orders.as_mut()?, "{operation} {count}").ok()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).ok()?;
        let mut words = answer.split_whitespace().map(|word| word.parse::<f64>().ok());
        let mut next = || Some(words.next()?? / count as f64);
        Some(Taken { wall: next()?, cpu: next()? })
    }

    /// KB of memory that are its own.
    pub fn private_kb(&self) -> Result<f64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().next()).and_then(|kb| kb.parse().ok());
        number.ok_or_else(|| format!("{path}: no RssAnon"))
    }

    fn why_it_ended(&mut self) -> String {
        self.orders = None;
        let name = &self.name;
        match self.child.wait() {
            Ok(status) => format!("{name} ended with {status}"),
            Err(error) => format!("{name}: {error}"),
        }
    }
}

impl Drop for Worker {
    /// Without orders it ends by itself, and cleans up.
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.child.wait();
    }
}
