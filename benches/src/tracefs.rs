//! The kernel's own ring buffer, by its tracefs.

use crate::clock::{cpus, pinned};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Events of a measurement.
const EVENTS: u64 = 1000;

/// An instance of the kernel's ring buffer, which goes with this.
pub struct KernelInstance {
    path: PathBuf,
}

impl KernelInstance {
    /// A new one.
    pub fn new() -> Result<KernelInstance, String> {
        let instances = Path::new("/sys/kernel/tracing/instances");
        let path = instances.join(format!("lookback-benches-{}", std::process::id()));
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(KernelInstance { path }),
            Err(error) => Err(format!("no instance in {}: {error}", instances.display())),
        }
    }

    /// One of its files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens one of its files.
    pub fn open(&self, name: &str, options: &OpenOptions) -> Result<File, String> {
        let path = self.path(name);
        options.open(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Sums a figure over the statistics of all CPUs.
    fn sum(&self, figure: &str) -> Result<u64, String> {
        let cpus = std::fs::read_dir(self.path("per_cpu")).map_err(|error| error.to_string())?;
        let mut sum = 0;
        for cpu in cpus.flatten() {
            let text =
                std::fs::read_to_string(cpu.path().join("stats")).map_err(|error| error.to_string())?;
            let value = text.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(": "));
            sum += value.and_then(|value| value.parse::<u64>().ok()).ok_or("statistics without it")?;
        }
        Ok(sum)
    }
}

impl Drop for KernelInstance {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Bytes of an event of the kernel with so many bytes after the fields that each has: one of
/// `trace_marker_raw`, whose fields are what is written to it.
pub fn bytes_per_event(payload: usize) -> Result<f64, String> {
    let instance = KernelInstance::new()?;
    let mut file = instance.open("trace_marker_raw", File::options().write(true))?;
    let event = vec![1; payload];
    pinned(&cpus(1), || (0..EVENTS).try_for_each(|_| file.write_all(&event)))
        .map_err(|error| format!("trace_marker_raw: {error}"))?;
    drop(file);
    let (bytes, events) = (instance.sum("bytes")?, instance.sum("entries")?);
    if events == EVENTS {
        Ok(bytes as f64 / events as f64)
    } else {
        Err(format!("{events} events are there"))
    }
}
