//! bindfs: a FUSE server in C, over libfuse, that shows a directory in another place.

use crate::clock::{cpus, pinned};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Plain files with the names of tracefs's that it shows, which go with this.
pub struct Bindfs {
    _files: TempDir,
    mounted: PathBuf,
    server: Child,
}

impl Bindfs {
    /// In memory. It runs where clients do that are [`pinned`] to a CPU: elsewhere it would be woken each
    /// time, which takes longer than to answer.
    pub fn new() -> Result<Bindfs, String> {
        let failed = |error: std::io::Error| error.to_string();
        let files = tempfile::tempdir_in("/dev/shm").map_err(failed)?;
        let [shown, mounted] = ["shown", "mounted"].map(|name| files.path().join(name));
        for directory in [&shown, &mounted] {
            std::fs::create_dir(directory).map_err(failed)?;
        }
        for (name, text) in [("trace_marker", ""), ("tracing_on", "1\n")] {
            std::fs::write(shown.join(name), text).map_err(failed)?;
        }
        let mut command = Command::new("bindfs");
        command.arg("-f").arg(shown).arg(&mounted).stdin(Stdio::null()).stderr(Stdio::null());
        let server = pinned(&cpus(1), || command.spawn()).map_err(|error| format!("bindfs: {error}"))?;
        let mut bindfs = Bindfs { _files: files, mounted, server };
        bindfs.wait()?;
        Ok(bindfs)
    }

    fn wait(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while !self.mounted.join("tracing_on").exists() {
            let has_ended = self.server.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || start.elapsed() > Duration::from_secs(10) {
                return Err("bindfs mounts nothing".to_string());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Where it shows them.
    pub fn directory(&self) -> &Path {
        &self.mounted
    }
}

impl Drop for Bindfs {
    fn drop(&mut self) {
        // It unmounts before it ends.
        if let Some(pid) = Pid::from_raw(self.server.id().cast_signed()) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.server.wait();
    }
}
