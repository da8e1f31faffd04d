//! The programs in C that are measured, or measured against. They are compiled when they are needed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tempfile::TempDir;

const SOURCES: &[(&str, &str)] = &[
    ("calls.c", include_str!("../programs/calls.c")),
    ("empty.c", include_str!("../programs/empty.c")),
    ("functions.c", include_str!("../programs/functions.c")),
    ("lttng.c", include_str!("../programs/lttng.c")),
    ("lttng.sh", include_str!("../programs/lttng.sh")),
    ("lttng_events.h", include_str!("../programs/lttng_events.h")),
    ("pairs.c", include_str!("../programs/pairs.c")),
    ("running.c", include_str!("../programs/running.c")),
    ("worker.h", include_str!("../programs/worker.h")),
];

/// A program that ends with this.
#[derive(Debug)]
pub struct EndedChild(pub Child);

impl Drop for EndedChild {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A directory with the programs.
#[derive(Debug)]
pub struct ProgramDirectory {
    directory: TempDir,
}

impl ProgramDirectory {
    /// A new one with the sources.
    pub fn new() -> Result<ProgramDirectory, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (name, text) in SOURCES {
            std::fs::write(directory.path().join(name), text).map_err(|error| error.to_string())?;
        }
        Ok(ProgramDirectory { directory })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Compiles `NAME.c`; what comes of it.
    pub fn compile(&self, name: &str, options: &[&str]) -> Result<PathBuf, String> {
        self.compile_as(name, name, "cc", options)
    }

    /// Compiles `SOURCE.c` to a program of this name, by a compiler of several.
    pub fn compile_as(
        &self,
        source: &str,
        name: &str,
        compiler: &str,
        options: &[&str],
    ) -> Result<PathBuf, String> {
        let mut command = Command::new(compiler);
        command.current_dir(self.path()).args(["-O2", "-o", name, &format!("{source}.c")]).args(options);
        let output = command.output().map_err(|error| format!("no C compiler {compiler}: {error}"))?;
        if output.status.success() {
            return Ok(self.path().join(name));
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let first = errors.lines().find(|line| line.contains("error")).unwrap_or("the compiler failed");
        Err(first.to_string())
    }

    /// Writes `NAME.c`.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        std::fs::write(self.path().join(format!("{name}.c")), text).map_err(|error| error.to_string())
    }

    /// A shared object with nothing in it.
    pub fn empty_object(&self) -> Result<PathBuf, String> {
        self.compile("empty", &["-shared", "-fPIC"])
    }
}

/// Whether a program is installed.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
