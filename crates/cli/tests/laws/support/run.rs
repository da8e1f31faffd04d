//! Running programs, for a limited time.

use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// No program here takes longer, on a busy machine either.
const LIMIT: Duration = Duration::from_secs(240);

/// How a program ran: all that can be seen of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Run {
    /// Whether the program has found all as it should be.
    pub(crate) fn is_ok(&self) -> bool {
        self.status.success() && self.output.lines().last() == Some("ok")
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}{}", self.status, self.output, self.errors)
    }
}

/// Runs a command to its end. One that takes too long is ended, with all that it has started in its process
/// group.
pub(crate) fn run(command: Command) -> Run {
    run_within(LIMIT, command)
}

/// As [`run`], where others know how long that may take.
pub(crate) fn run_within(limit: Duration, mut command: Command) -> Run {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (output, errors) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let status = wait(limit, &mut child);
    let (output, errors) = (output.join().unwrap(), errors.join().unwrap());
    match status {
        Some(status) => Run { status, output, errors },
        None => panic!("{command:?} has not ended after {limit:?}\n{output}{errors}"),
    }
}

fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end of a child; None when it had to be killed.
fn wait(limit: Duration, child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let group = rustix::process::Pid::from_child(child);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    child.wait().unwrap();
    None
}

/// A command that doesn't know whether the tests are traced themselves.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_remove("LOOKBACK_SESSION").env_remove("LOOKBACK_DEBUG").env_remove("LD_PRELOAD");
    // Otherwise what is ignored depends on which threads the tests have just then.
    launch::hand_on(&mut command);
    command
}

/// The command under test.
pub(crate) fn lookback() -> Command {
    command(env!("CARGO_BIN_EXE_lookback"))
}
