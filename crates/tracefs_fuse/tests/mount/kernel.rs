//! The kernel's own tracefs, to play the same to.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const TOP: &str = "/sys/kernel/tracing";

/// An instance of the kernel's tracefs, which goes with this.
pub struct KernelInstance {
    name: String,
}

impl KernelInstance {
    /// A new one. None, and a note, where there can't be one.
    pub fn new() -> Option<KernelInstance> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("lookback-mount-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let instance = KernelInstance { name };
        match std::fs::create_dir(instance.path()) {
            Ok(()) => Some(instance),
            Err(error) => {
                println!("skipped: {}: {error}", instance.path().display());
                None
            }
        }
    }

    /// Where its files are.
    pub fn path(&self) -> PathBuf {
        Path::new(TOP).join("instances").join(&self.name)
    }

    /// The directory that it is an instance of, and its name.
    pub fn place(&self) -> (&Path, &str) {
        (Path::new(TOP), &self.name)
    }
}

impl Drop for KernelInstance {
    fn drop(&mut self) {
        // A reader that was killed may be closing its files.
        for _ in 0..100 {
            match std::fs::remove_dir(self.path()) {
                Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                _ => return,
            }
        }
        println!("{} stays", self.path().display());
    }
}
