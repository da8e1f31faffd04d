//! trace-cmd of Debian, unchanged, on a session: each of its commands, with the options that reach a tracefs.
//!
//! Exit codes and messages are those that it has on the kernel's tracefs.

mod control;
mod files;
mod live;
mod losses;
mod recording;

use crate::common::*;
use session::{Session, SessionOptions};
use std::process::Command;

/// A session, for which trace-cmd runs by `lookback exec`.
struct Client {
    scratch: Scratch,
}

/// A command line of trace-cmd, its exit code, and what has to be in what it prints: on standard output after
/// a success, else on standard error.
type Row<'a> = (&'a str, i32, &'a str);

/// How often something is tried that trace-cmd itself can spoil.
const TRIES: usize = 10;

impl Client {
    /// None where trace-cmd is not installed.
    fn new() -> Option<Client> {
        Client::with_buffer(1024)
    }

    /// With so many KB for each CPU.
    fn with_buffer(buffer_kb: u64) -> Option<Client> {
        if is_missing(&["trace-cmd"]) {
            return None;
        }
        let scratch = Scratch::new();
        let options = SessionOptions { buffer_kb, snapshots: 1, instances: 4, ..SessionOptions::default() };
        Session::create(&scratch.path("session"), &options).unwrap();
        Some(Client { scratch })
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session")).env("LOOKBACK", LOOKBACK);
        command
    }

    /// `trace-cmd` with arguments that have no blanks in them.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.lookback(&["exec", "--", "trace-cmd"]);
        command.args(arguments.split_whitespace());
        command
    }

    /// What `trace-cmd` with these arguments says.
    #[track_caller]
    fn says(&self, arguments: &str) -> String {
        run(&mut self.command(arguments)).success().stdout
    }

    #[track_caller]
    fn expect(&self, rows: &[Row<'_>]) {
        for (arguments, code, part) in rows {
            let outcome = run(&mut self.command(arguments));
            assert_eq!(outcome.code(), Some(*code), "{arguments}: {outcome:#?}");
            let printed = if *code == 0 { &outcome.stdout } else { &outcome.stderr };
            assert!(printed.contains(part), "{arguments}: no {part:?} in {outcome:#?}");
        }
    }

    /// Runs a program that is attached to the session.
    fn run(&self, program: &[&str]) -> Outcome {
        run(self.lookback(&["run", "-q", "--"]).args(program))
    }

    /// Records `program`, which is attached to the session, with more arguments.
    ///
    /// trace-cmd doesn't wait until its recorders have begun. When a program has ended before, they take
    /// nothing of the events, or haven't even made their files; on a busy machine that happens with the
    /// kernel's tracefs, too. Then it is recorded again.
    #[track_caller]
    fn record(&self, arguments: &str, program: &[&str]) -> Outcome {
        for _ in 0..TRIES {
            let mut command = self.command("record");
            command
                .args(arguments.split_whitespace())
                .args(["--", LOOKBACK, "run", "-q", "--"])
                .args(program);
            let outcome = run(&mut command);
            let name = arguments.split_once("-o ").map_or("trace.dat", |(_, rest)| rest);
            let has_begun =
                || self.statistics(name, "entries") == 0 || self.report(&["-i", name]).contains(": ");
            let has_failed = !outcome.status.success();
            if has_failed || !outcome.stderr.contains("can not stat") && has_begun() {
                return outcome;
            }
        }
        panic!("{arguments}: no recorder has begun in time");
    }

    /// The sum of a figure of all CPUs at the end of a recording.
    fn statistics(&self, file: &str, name: &str) -> u64 {
        let printed = self.report(&["--stat", "-i", file]);
        let figures = printed
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse::<u64>().ok());
        figures.sum()
    }

    /// What `trace-cmd report` prints.
    #[track_caller]
    fn report(&self, arguments: &[&str]) -> String {
        run(self.scratch.command("trace-cmd").arg("report").args(arguments)).success().stdout
    }

    /// The lines of a recording that are about an event.
    #[track_caller]
    fn recorded(&self, file: &str, event: &str) -> Vec<String> {
        let word = format!(" {event}: ");
        let report = self.report(&["-i", file]);
        report.lines().filter(|line| line.contains(&word)).map(String::from).collect()
    }
}
