//! LTTng-UST, which records events of programs as we do.

use crate::ctf;
use crate::program::{ProgramDirectory, is_installed};
use crate::worker::Worker;
use std::path::Path;
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
    Ok(ctf::content_bytes(&programs.path().join(HOME).join("trace"))? as f64 / SIZED as f64)
}

/// Where LTTng keeps its files, next to the programs.
const HOME: &str = "lttng-home";

fn launch(programs: &ProgramDirectory, kind: &str) -> Result<Worker, String> {
    is_there()?;
    let worker = programs.compile("lttng", &["-I.", "-llttng-ust", "-ldl"])?;
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!(
        "{} {}",
        recorded(programs.path(), kind, "bench:*,lttng_ust_tracef:*"),
        worker.display()
    ));
    Worker::start(command)
}

/// Why it can't be used, if so.
pub fn is_there() -> Result<(), String> {
    match ["lttng", "lttng-sessiond"].into_iter().find(|program| !is_installed(program)) {
        Some(missing) => Err(format!("{missing} is not installed")),
        None => Ok(()),
    }
}

/// What is put before a shell's command to have its `events` recorded, in a session that ends with it.
/// `programs` is where a [`ProgramDirectory`] is.
pub fn recorded(programs: &Path, kind: &str, events: &str) -> String {
    let alone =
        if rustix::process::geteuid().is_root() { "unshare --mount --propagation private " } else { "" };
    let (script, home) = (programs.join("lttng.sh"), programs.join(HOME));
    format!("exec {alone}sh {} {} {kind} '{events}'", script.display(), home.display())
}
