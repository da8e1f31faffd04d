//! The kernel's side.

use super::target::{File, Target};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const TOP: &str = "/sys/kernel/tracing";
const INSTANCES: &str = "/sys/kernel/tracing/instances";

/// An instance of the kernel's tracefs, which goes with this; or the top of it, and those instances go that
/// were made.
pub struct Kernel {
    directory: PathBuf,
    /// What its instances are named.
    name: String,
    files: HashMap<File, OwnedFd>,
    next: File,
}

impl Kernel {
    /// A new instance. None, and a note, where there can't be one.
    pub fn new() -> Option<Kernel> {
        let mut kernel = Kernel::top()?;
        kernel.directory = Path::new(INSTANCES).join(&kernel.name);
        if let Err(error) = std::fs::create_dir(&kernel.directory) {
            println!("skipped: {}: {error}", kernel.directory.display());
            return None;
        }
        Some(kernel)
    }

    /// The top, for one who makes instances. None, and a note, where that can't be done.
    pub fn top() -> Option<Kernel> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("lookback-test-{}-{}-", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let kernel = Kernel { directory: PathBuf::from(TOP), name, files: HashMap::new(), next: 0 };
        if let Err(error) = rustix::fs::access(INSTANCES, Access::WRITE_OK) {
            println!("skipped: {INSTANCES}: {error}");
            return None;
        }
        Some(kernel)
    }

    /// A name for an instance that nobody else has; others may start with it.
    pub fn own_name(&self) -> String {
        self.name.clone()
    }

    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.directory.display())
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.files.clear();
        let entries = std::fs::read_dir(INSTANCES).into_iter().flatten().flatten();
        for made in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&self.name)) {
            let _ = std::fs::write(made.path().join("events/enable"), "0");
            if let Err(error) = std::fs::remove_dir(made.path()) {
                println!("{} stays: {error}", made.path().display());
            }
        }
    }
}

impl Target for Kernel {
    fn open(&mut self, path: &str, flags: OFlags) -> Result<File, Errno> {
        let file = rustix::fs::open(self.path(path), flags | OFlags::CLOEXEC, Mode::from(0o600))?;
        self.next += 1;
        self.files.insert(self.next, file);
        Ok(self.next)
    }

    fn close(&mut self, file: File) {
        self.files.remove(&file);
    }

    fn read(&mut self, file: File, len: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; len];
        let read = rustix::io::read(&self.files[&file], &mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn read_at(&mut self, file: File, offset: u64, len: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; len];
        let read = rustix::io::pread(&self.files[&file], &mut bytes, offset)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn write(&mut self, file: File, bytes: &[u8]) -> Result<usize, Errno> {
        rustix::io::write(&self.files[&file], bytes)
    }

    fn seek(&mut self, file: File, offset: u64) -> Result<(), Errno> {
        rustix::fs::seek(&self.files[&file], SeekFrom::Start(offset)).map(drop)
    }

    fn poll(&mut self, file: File) -> bool {
        let mut asked = [PollFd::new(&self.files[&file], PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut asked, Some(&now)).unwrap() > 0 && asked[0].revents().contains(PollFlags::IN)
    }

    fn mode(&mut self, path: &str) -> Result<u32, Errno> {
        Ok(rustix::fs::stat(self.path(path))?.st_mode & 0o7777)
    }

    fn names(&mut self, path: &str) -> Result<Vec<String>, Errno> {
        let entries =
            std::fs::read_dir(self.path(path)).map_err(|error| Errno::from_io_error(&error).unwrap())?;
        Ok(entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
    }

    fn make_directory(&mut self, path: &str) -> Result<(), Errno> {
        rustix::fs::mkdir(self.path(path), Mode::from(0o700))
    }

    fn remove_directory(&mut self, path: &str) -> Result<(), Errno> {
        rustix::fs::rmdir(self.path(path))
    }

    fn remove_file(&mut self, path: &str) -> Result<(), Errno> {
        rustix::fs::unlink(self.path(path))
    }
}
