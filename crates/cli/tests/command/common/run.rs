//! Running a command to its end, for a bounded time.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The longest time that a command may take. It is much more than any needs, even on a loaded machine; where
/// tests do more than they do by themselves, `LOOKBACK_LONGEST_SECONDS` says how long.
fn longest() -> Duration {
    Duration::from_secs(times("LOOKBACK_LONGEST_SECONDS", 60))
}

/// How often a test is to do something: so many times, or as a variable of the environment says.
pub fn times(variable: &str, by_itself: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(by_itself)
}

/// How often it is asked whether something has happened.
const TICK: Duration = Duration::from_millis(2);

/// How a command has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub pid: u32,
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Its exit code; None when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// What anybody sees of it, except which process it was.
    pub fn visible(&self) -> (ExitStatus, &str, &str) {
        (self.status, &self.stdout, &self.stderr)
    }

    /// Itself, after a success.
    #[track_caller]
    pub fn success(self) -> Outcome {
        assert!(self.status.success(), "{self:#?}");
        self
    }

    /// Itself, after a failure of lookback with this code and a message with all of `parts`.
    #[track_caller]
    pub fn failure(self, code: i32, parts: &[&str]) -> Outcome {
        assert_eq!(self.code(), Some(code), "{self:#?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in\n{}", self.stderr);
        }
        self
    }
}

/// A command that runs. It has a process group of its own, which ends with this.
#[derive(Debug)]
pub struct Running {
    child: Child,
    started: Instant,
    stdout: File,
    stderr: File,
}

/// Runs a command to its end.
#[track_caller]
pub fn run(command: &mut Command) -> Outcome {
    start(command).wait()
}

/// Starts a command; what it prints is kept.
#[track_caller]
pub fn start(command: &mut Command) -> Running {
    // Files, not pipes: what stays in the background and keeps them open keeps nobody waiting.
    let (stdout, stderr) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    command.stdout(stdout.try_clone().unwrap()).stderr(stderr.try_clone().unwrap()).process_group(0);
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Running { child, started: Instant::now(), stdout, stderr }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Its input, if that is a pipe.
    #[track_caller]
    pub fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Its input, if that is a pipe, which it keeps.
    #[track_caller]
    pub fn child_input(&mut self) -> &mut ChildStdin {
        self.child.stdin.as_mut().unwrap()
    }

    /// What it has printed so far.
    pub fn printed(&self) -> String {
        content(&self.stdout)
    }

    /// What it has said so far on standard error.
    pub fn said(&self) -> String {
        content(&self.stderr)
    }

    /// Waits until it has printed `text`.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        self.wait_while(text, |running| !running.printed().contains(text));
    }

    /// Waits until it has said `text` on standard error.
    #[track_caller]
    pub fn wait_for_error(&mut self, text: &str) {
        self.wait_while(text, |running| !running.said().contains(text));
    }

    #[track_caller]
    fn wait_while(&mut self, text: &str, is_missing: impl Fn(&Running) -> bool) {
        while is_missing(self) {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "ended without {text:?}: {}", self.said());
            self.pause();
        }
    }

    /// Waits until `is_so`.
    #[track_caller]
    pub fn wait_until(&self, is_so: impl Fn() -> bool) {
        while !is_so() {
            self.pause();
        }
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(mut self) -> Outcome {
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => self.pause(),
            }
        };
        let (stdout, stderr) = (content(&self.stdout), content(&self.stderr));
        Outcome { pid: self.child.id(), status, stdout, stderr }
    }

    #[track_caller]
    fn pause(&self) {
        assert!(self.started.elapsed() < longest(), "takes too long");
        std::thread::sleep(TICK);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What has ended well has left nobody in its group, or somebody whom a test wants to outlive it.
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// All of a file. Programs print what they like: bytes that are no text are shown as such.
fn content(file: &File) -> String {
    // Not by the file's position, which is shared with who writes.
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    let len = file.read_at(&mut bytes, 0).unwrap();
    String::from_utf8_lossy(&bytes[..len]).into_owned()
}

/// Waits until something is so, which has to be within so many seconds.
#[track_caller]
pub fn within(seconds: u64, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(seconds), "it is not so");
        std::thread::sleep(TICK);
    }
}
