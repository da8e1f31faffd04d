//! LTTng-UST, which records events of programs as we do.

use crate::ctf;
use crate::program::{ProgramDirectory, is_installed};
use crate::worker::Worker;
use std::path::PathBuf;
use std::process::Command;

/// Events that are recorded before anything is measured: the buffers' pages are touched once.
const WARM_UP: u64 = 100_000;

/// Events of a recording whose size is measured: less than its buffers hold, so that none is discarded.
const SIZED: u64 = 50_000;

/// Starts LTTng in a place of its own, with a worker that records `number` and `text`. It ends with the
/// worker.
pub fn start(programs: &ProgramDirectory) -> Result<Worker, String> {
    let mut worker = launch(programs, "memory")?;
    for operation in ["number", "text"] {
        worker.repeat(operation, WARM_UP)?;
    }
    Ok(worker)
}

/// Bytes of an event of the worker's `operation` in a recording that LTTng writes: all of its packets, with
/// their headers, for each event.
pub fn bytes_per_event(operation: &str) -> Result<f64, String> {
    let programs = ProgramDirectory::new()?;
    let mut worker = launch(&programs, "file")?;
    worker.repeat(operation, SIZED)?;
    // At its end the recording is whole.
    drop(worker);
    Ok(ctf::content_bytes(&home(&programs).join("trace"))? as f64 / SIZED as f64)
}

/// Where LTTng keeps its files.
fn home(programs: &ProgramDirectory) -> PathBuf {
    programs.path().join("lttng-home")
}

fn launch(programs: &ProgramDirectory, kind: &str) -> Result<Worker, String> {
    for program in ["lttng", "lttng-sessiond"] {
        if !is_installed(program) {
            return Err(format!("{program} is not installed"));
        }
    }
    let worker = programs.compile("lttng", &["-I.", "-llttng-ust", "-ldl"])?;
    let home = home(programs);
    std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    command.arg(programs.path().join("lttng.sh")).arg(home).arg(kind).arg(worker);
    Worker::start(command)
}
