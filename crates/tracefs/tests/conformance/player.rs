//! Plays scripts to both sides and compares.

use super::differences::is_meant;
use super::kernel::Kernel;
use super::ours::Ours;
use super::target::{File, Target};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::fmt::Debug;

/// Both sides, what was done, and where they differed.
pub struct Player {
    kernel: Kernel,
    ours: Ours,
    differences: Vec<String>,
    calls: usize,
}

/// A file that is open on both sides, or on neither.
#[derive(Debug, Clone)]
pub struct Opened {
    path: String,
    files: Option<(File, File)>,
}

impl Player {
    /// Both sides, new. The calling thread stays on CPU 0 from now on, so that both have its events there.
    /// None where the kernel can't be compared with.
    pub fn new() -> Option<Player> {
        let kernel = Kernel::new()?;
        // Before, so that it has memory for all CPUs.
        let ours = Ours::new();
        let mut first = CpuSet::new();
        first.set(0);
        sched_setaffinity(None, &first).unwrap();
        Some(Player { kernel, ours, differences: Vec::new(), calls: 0 })
    }

    /// Makes a call to both. Their results are compared, unless it is meant that they differ.
    pub fn both<T: Debug + PartialEq>(
        &mut self,
        path: &str,
        what: &str,
        mut call: impl FnMut(&mut dyn Target) -> T,
    ) -> (T, T) {
        let (kernels, ours) = (call(&mut self.kernel), call(&mut self.ours));
        self.compare(path, what, &kernels, &ours);
        (kernels, ours)
    }

    /// Takes note if these differ.
    pub fn compare<T: Debug + PartialEq>(&mut self, path: &str, what: &str, kernels: &T, ours: &T) {
        self.calls += 1;
        if kernels != ours && !is_meant(path, what) {
            let shown = |result: &T| format!("{result:?}").chars().take(2000).collect::<String>();
            let (kernels, ours) = (shown(kernels), shown(ours));
            self.differences.push(format!("{path}: {what}\n    kernel {kernels}\n    ours   {ours}"));
        }
    }

    /// Opens a file. Where only one side can, that is a difference, and nothing is open.
    pub fn open(&mut self, path: &str, flags: OFlags) -> Opened {
        let kernels = self.kernel.open(path, flags);
        let ours = self.ours.open(path, flags);
        let what = format!("open {}", name(flags));
        self.compare(path, &what, &kernels.map(drop), &ours.map(drop));
        let files = kernels.ok().zip(ours.ok());
        Opened { path: path.to_string(), files }
    }

    pub fn close(&mut self, file: Opened) {
        if let Some((kernels, ours)) = file.files {
            self.kernel.close(kernels);
            self.ours.close(ours);
        }
    }

    /// A call on an open file.
    pub fn on<T: Debug + PartialEq>(
        &mut self,
        file: &Opened,
        what: &str,
        mut call: impl FnMut(&mut dyn Target, File) -> T,
    ) -> Option<(T, T)> {
        let (kernels, ours) = file.files?;
        let (kernels, ours) = (call(&mut self.kernel, kernels), call(&mut self.ours, ours));
        self.compare(&file.path, what, &kernels, &ours);
        Some((kernels, ours))
    }

    pub fn write(&mut self, file: &Opened, bytes: &[u8]) {
        self.on(file, &format!("write {}", shown(bytes)), |target, file| target.write(file, bytes));
    }

    pub fn read(&mut self, file: &Opened, len: usize) {
        self.on(file, &format!("read {len}"), |target, file| target.read(file, len));
    }

    /// Opens, writes once, closes.
    pub fn put(&mut self, path: &str, flags: OFlags, bytes: &[u8]) {
        let file = self.open(path, flags);
        self.write(&file, bytes);
        self.close(file);
    }

    /// Reads all of a file, compares, and gives both.
    pub fn get(&mut self, path: &str) -> (Vec<u8>, Vec<u8>) {
        self.both(path, "content", |target| content(target, path).unwrap_or_default())
    }

    /// All of a file, of both sides, without a comparison. Nothing where it can't be read.
    pub fn contents(&mut self, path: &str) -> (String, String) {
        let text = |target: &mut dyn Target| {
            String::from_utf8_lossy(&content(target, path).unwrap_or_default()).into_owned()
        };
        (text(&mut self.kernel), text(&mut self.ours))
    }

    /// Whether the kernel has a file or directory.
    pub fn kernel_has(&mut self, path: &str) -> bool {
        self.kernel.mode(path).is_ok()
    }

    /// Whether we have a directory there.
    pub fn is_directory(&mut self, path: &str) -> bool {
        self.ours.names(path).is_ok()
    }

    /// What we have in a directory.
    pub fn our_names(&mut self, path: &str) -> Vec<String> {
        self.ours.names(path).unwrap()
    }

    /// All of our files that a script can be played to: those of a few events stand for all.
    pub fn files(&mut self) -> Vec<String> {
        let mut files = Vec::new();
        let mut waiting = vec![String::new()];
        while let Some(directory) = waiting.pop() {
            for name in self.our_names(&directory) {
                let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                let is_other_event = path.starts_with("events/libc")
                    || path.starts_with("events/sched/sched_process_") && !path.contains("_exec")
                    || path.starts_with("events/syscalls/sys_") && !path.contains("_umask");
                if is_other_event || !self.kernel_has(&path) {
                    continue;
                }
                if self.ours.names(&path).is_ok() { waiting.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    /// The end of a script: both were the same.
    pub fn finish(self) {
        assert!(self.calls > 0, "nothing was compared");
        let count = self.differences.len();
        assert_eq!(count, 0, "{} of {} differ:\n{}", count, self.calls, self.differences.join("\n"));
    }
}

fn content(target: &mut dyn Target, path: &str) -> Result<Vec<u8>, Errno> {
    let file = target.open(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
    let mut all = Vec::new();
    while let Ok(bytes) = target.read(file, 65536)
        && !bytes.is_empty()
    {
        all.extend(bytes);
    }
    target.close(file);
    Ok(all)
}

/// Bytes, not too many of them.
fn shown(bytes: &[u8]) -> String {
    let text: String = bytes.escape_ascii().to_string().chars().take(80).collect();
    format!("{text:?} ({})", bytes.len())
}

fn name(flags: OFlags) -> String {
    format!("{flags:?}")
}
