//! The Python package: events of Python programs and their functions, and reading.

use crate::report::Report;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is measured.
const NAMES: [&str; 7] = [
    "python_event_ns",
    "python_event_text_ns",
    "python_event_off_ns",
    "python_hook_alone_ns",
    "python_function_ns",
    "python_iterate_Mevents_per_s",
    "python_arrow_Mevents_per_s",
];

/// Events of a trace that is read.
const WRITES: &str =
    "import os; fd = os.open('/dev/null', os.O_WRONLY); [os.write(fd, b'x') for _ in range(1000000)]";

/// What is run.
struct Tools {
    lookback: PathBuf,
    python: PathBuf,
    library: PathBuf,
}

/// Measures the package with the command and the library next to this program.
pub fn measure(report: &mut Report) {
    let measured = Tools::find().and_then(|tools| tools.measure());
    for name in NAMES {
        let found = measured.as_ref().map_err(String::clone).and_then(|lines| number(lines, name));
        report.add(name, found);
    }
}

impl Tools {
    fn find() -> Result<Tools, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let target = own.ancestors().nth(2).ok_or("no target directory")?;
        let tools = Tools {
            lookback: own.with_file_name("lookback"),
            python: target.join("python/bin/python"),
            library: own.with_file_name("liblookback_c.so"),
        };
        match tools.python.exists() {
            true => Ok(tools),
            false => Err("pyarrow is not installed: ./setup does so".to_owned()),
        }
    }

    fn measure(&self) -> Result<String, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (trace, script) =
            (directory.path().join("trace.dat"), source().join("benches/programs/python.py"));
        let ours = [self.python.as_os_str(), script.as_os_str(), OsStr::new("events")];
        let events = self.record(&trace, &["bench:", "python:"], &ours)?;
        let calls = [self.python.as_os_str(), OsStr::new("-c"), OsStr::new(WRITES)];
        self.record(&trace, &["write", "write_exit"], &calls)?;
        let read = self.run(Command::new(&self.python).arg(script).arg("read").arg(trace))?;
        Ok(events + &read)
    }

    /// Records a program: what it prints.
    fn record(&self, trace: &Path, events: &[&str], program: &[&OsStr]) -> Result<String, String> {
        let mut command = Command::new(&self.lookback);
        command.args(["record", "-q", "-b", "65536", "-o"]).arg(trace);
        command.args(events.iter().flat_map(|event| ["-e", event])).arg("--").args(program);
        self.run(&mut command)
    }

    fn run(&self, command: &mut Command) -> Result<String, String> {
        command.env("LOOKBACK_LIBRARY", &self.library).env("PYTHONPATH", source().join("python"));
        let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output();
        let output = output.map_err(|error| format!("{command:?}: {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }
}

/// Where the sources are.
fn source() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The number after a name.
fn number(lines: &str, name: &str) -> Result<f64, String> {
    let found = lines.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    found.ok_or_else(|| format!("{name} was not measured"))
}
