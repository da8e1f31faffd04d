//! LTTng-UST, which records events of programs as we do.

use crate::program::{Programs, is_installed};
use crate::worker::Worker;
use std::process::Command;

/// Events that are recorded before anything is measured: the buffers' pages are touched once.
const WARM_UP: u64 = 100_000;

/// Starts LTTng in a place of its own, with a worker that records `number` and `text`. It ends with the
/// worker.
pub fn start(programs: &Programs) -> Result<Worker, String> {
    for program in ["lttng", "lttng-sessiond"] {
        if !is_installed(program) {
            return Err(format!("{program} is not installed"));
        }
    }
    let worker = programs.compile("lttng", &["-I.", "-llttng-ust", "-ldl"])?;
    let home = programs.path().join("lttng-home");
    std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    command.arg(programs.path().join("lttng.sh")).arg(home).arg(worker);
    let mut worker = Worker::start(command)?;
    for operation in ["number", "text"] {
        worker.repeat(operation, WARM_UP)?;
    }
    Ok(worker)
}
