//! A pager for what is printed on a terminal, as git(1) has one.

use crate::columns::columns;
use crate::say::say;
use anstream::{AutoStream, ColorChoice};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use std::env;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What `less` is told unless `LESS` says something else: to end by itself where all fits on the screen, to
/// show colours, and to leave on the screen what it has shown.
const LESS: &str = "FRX";

/// The status by which a shell says that a command is not there.
const NOT_FOUND: i32 = 127;

/// The pager that shows what is printed. When it is dropped, the rest is handed to it, and it is waited for.
pub(crate) struct Pager {
    command: String,
    child: Child,
    /// The terminal.
    output: OwnedFd,
    /// Standard error, if that was a terminal.
    errors: Option<OwnedFd>,
}

impl Pager {
    /// Has all that is printed from now on go to a pager. None where standard output is no terminal, and
    /// where no pager is wanted, or there is none.
    pub(crate) fn start() -> Option<Pager> {
        let stdout = io::stdout();
        let is_dumb = env::var_os("TERM").is_none_or(|terminal| terminal == "dumb");
        if !stdout.is_terminal() || is_dumb {
            return None;
        }
        let command = command()?;
        // What is known of the terminal, as long as it is there.
        columns();
        let choice = AutoStream::choice(&stdout.lock());
        let output = stdout.as_fd().try_clone_to_owned().ok()?;
        let stderr = io::stderr();
        let errors = if stderr.is_terminal() { stderr.as_fd().try_clone_to_owned().ok() } else { None };
        let mut child = started(&command).ok()?;
        let input = child.stdin.take()?;
        let pager = Pager { command, child, output, errors };
        // Control-C is for the pager.
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false))).ok()?;
        dup2_stdout(&input).ok()?;
        if pager.errors.is_some() {
            dup2_stderr(&input).ok()?;
        }
        choice_for_pager(choice).write_global();
        Some(pager)
    }
}

/// What is to be run; None where nothing is.
fn command() -> Option<String> {
    let said = ["LOOKBACK_PAGER", "PAGER"].into_iter().find_map(|name| env::var(name).ok());
    said.or_else(|| Some("less".to_owned())).filter(|command| !matches!(command.trim(), "" | "cat"))
}

/// `less` by itself, so that it is known when there is none; others may be lines for a shell.
fn started(command: &str) -> io::Result<Child> {
    let mut pager = match command {
        "less" => Command::new(command),
        _ => Command::new("sh"),
    };
    if command != "less" {
        pager.args(["-c", command]);
    }
    if env::var_os("LESS").is_none() {
        pager.env("LESS", LESS);
    }
    pager.stdin(Stdio::piped()).spawn()
}

/// A pipe has colours where the terminal would have had them.
fn choice_for_pager(choice: ColorChoice) -> ColorChoice {
    match choice {
        ColorChoice::Never => ColorChoice::Never,
        _ => ColorChoice::AlwaysAnsi,
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // Whoever has left the pager has seen enough.
        let _ = io::stdout().flush();
        // The ends of the pipe are closed by this.
        let _ = dup2_stdout(&self.output);
        if let Some(errors) = &self.errors {
            let _ = dup2_stderr(errors);
        }
        let ended = self.child.wait();
        if ended.is_ok_and(|status| status.code() == Some(NOT_FOUND)) {
            say!("lookback: there is no pager {}: set LOOKBACK_PAGER, or use --no-pager", self.command);
        }
    }
}
