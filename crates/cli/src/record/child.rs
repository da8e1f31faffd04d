//! The program while it runs.

use crate::failure::code::{NOT_EXECUTABLE, NOT_FOUND};
use crate::failure::{Done, Failure};
use crate::record::job;
use crate::record::program::Program;
use crate::say::say;
use launch::is_ignored;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Signals that are passed on to the program.
const SIGNALS: [i32; 7] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2];

/// How often progress can be reported.
const TICK: Duration = Duration::from_millis(250);

/// A program that runs.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    handle: Arc<OwnedFd>,
    started: Instant,
}

impl Child {
    /// Starts the program with an environment in which it finds the session, and is traced. Before that it
    /// writes its PID to `entrances`.
    pub(crate) fn start(program: &Program, session: &Path, object: &Path, entrances: &[File]) -> Done<Child> {
        let enter = |command: &mut Command| {
            let files = entrances.iter().filter_map(|entrance| entrance.try_clone().ok());
            files.for_each(|file| launch::enter_by(command, file));
        };
        let traced = |command: &mut Command| {
            set_traced(command, session, object);
            enter(command);
        };
        Child::start_in(program, traced, enter)
    }

    /// Starts the program with an environment that `traced` makes, or where its arguments leave no space for
    /// that, `untraced`.
    pub(crate) fn start_in(
        program: &Program,
        traced: impl Fn(&mut Command),
        untraced: impl Fn(&mut Command),
    ) -> Done<Child> {
        Child::attend(|| start_traced(Command::spawn, program, traced, untraced))
    }

    fn attend(start: impl FnOnce() -> Done<std::process::Child>) -> Done<Child> {
        // Before the program starts: a signal that comes meanwhile must not end this process alone.
        let signals = SignalsInfo::<WithOrigin>::new(handled()).map_err(Failure::failed)?;
        let process = start()?;
        let pid = Pid::from_child(&process);
        let handle = Arc::new(
            pidfd_open(pid, PidfdFlags::empty()).map_err(std::io::Error::from).map_err(Failure::failed)?,
        );
        let target = handle.clone();
        std::thread::spawn(move || pass_signals(signals, &target));
        let stopping = handle.clone();
        std::thread::spawn(move || job::stop_with(&stopping));
        Ok(Child { process, handle, started: Instant::now() })
    }

    /// Waits for its end, and calls `tell` with the time that it has run now and then, and `ended` when it
    /// has ended and its PID is still its own.
    pub(crate) fn wait(mut self, mut tell: impl FnMut(Duration), ended: impl FnOnce()) -> Done<ExitStatus> {
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.as_nanos() as i64 };
        loop {
            let mut handle = [PollFd::new(&*self.handle, PollFlags::IN)];
            // An interruption by a signal is as good as the end of a tick.
            if poll(&mut handle, Some(&tick)).is_ok_and(|count| count > 0) {
                ended();
                return self.process.wait().map_err(Failure::failed);
            }
            tell(self.started.elapsed());
        }
    }
}

/// Becomes the program, in an environment in which it finds the session, and is traced.
pub(crate) fn execute(program: &Program, session: &Path, object: &Path) -> Done<Infallible> {
    start_traced(
        |command| Err(command.exec()),
        program,
        |command| set_traced(command, session, object),
        |_| (),
    )
}

/// Becomes the program, in the environment of this process.
pub(crate) fn execute_untraced(program: &Program) -> Done<Infallible> {
    attempt(|command| Err(command.exec()), program, |_| ()).map_err(|error| refused(program, &error))
}

/// Starts the program by `start`, with an environment that `traced` makes, or where its arguments leave no
/// space for that, `untraced`.
fn start_traced<T>(
    start: impl Fn(&mut Command) -> std::io::Result<T>,
    program: &Program,
    traced: impl Fn(&mut Command),
    untraced: impl Fn(&mut Command),
) -> Done<T> {
    let started = attempt(&start, program, traced);
    let started = match started {
        Err(error) if is(&error, Errno::TOOBIG) => {
            say!(
                "lookback: the arguments and the environment leave no space for LD_PRELOAD and LOOKBACK_SESSION: {} \
                 runs unrecorded",
                program.name.display()
            );
            attempt(&start, program, untraced)
        }
        other => other,
    };
    started.map_err(|error| refused(program, &error))
}

/// Has the program of `command` find the session, and load our object.
pub(crate) fn set_traced(command: &mut Command, session: &Path, object: &Path) {
    let session = std::path::absolute(session).unwrap_or_else(|_| session.to_path_buf());
    command.env("LD_PRELOAD", preload(object)).env("LOOKBACK_SESSION", session);
}

/// Starts the program by `start`, with an environment that `prepare` makes. What is in no format that the
/// kernel knows is a script for the shell, as execvp(3) and the shells have it.
fn attempt<T>(
    start: impl Fn(&mut Command) -> std::io::Result<T>,
    program: &Program,
    prepare: impl Fn(&mut Command),
) -> std::io::Result<T> {
    let start = |command: &mut Command| {
        prepare(command.args(&program.arguments));
        launch::hand_on(command);
        start(command)
    };
    match start(Command::new(&program.path).arg0(&program.name)) {
        Err(error) if is(&error, Errno::NOEXEC) => start(Command::new("/bin/sh").arg(&program.path)),
        other => other,
    }
}

fn is(error: &std::io::Error, number: Errno) -> bool {
    error.raw_os_error() == Some(number.raw_os_error())
}

/// Why the program doesn't start.
fn refused(program: &Program, error: &std::io::Error) -> Failure {
    let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    Failure::new(code, format_args!("{}: {error}", program.path.display()))
}

/// Our object after those that the user loads: what they do comes first, as without it.
fn preload(object: &Path) -> OsString {
    let mut value = std::env::var_os("LD_PRELOAD").filter(|value| !value.is_empty()).unwrap_or_default();
    if !value.is_empty() {
        value.push(":");
    }
    value.push(object);
    value
}

/// Sends to the program what is sent to this process. What the terminal sends it has got itself: that comes
/// from the kernel. Who sends can be in a pid namespace of which nothing is known here, and have no PID.
fn pass_signals(mut signals: SignalsInfo<WithOrigin>, target: &OwnedFd) {
    for origin in signals.forever() {
        if let (Cause::Sent(_) | Cause::Unknown, Some(signal)) =
            (origin.cause, Signal::from_named_raw(origin.signal))
        {
            // It may have ended meanwhile.
            let _ = pidfd_send_signal(target, signal);
        }
    }
}

/// The signals to be handled. Those that this process ignores from the start stay so, for the program too: a
/// handler would become the default action there.
fn handled() -> Vec<i32> {
    SIGNALS.into_iter().filter(|signal| !is_ignored(*signal)).collect()
}
