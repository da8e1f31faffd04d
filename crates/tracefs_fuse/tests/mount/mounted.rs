//! A session that is mounted for a test.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CpuSet, capabilities, sched_setaffinity, set_capabilities};
use session::{Instance, Session, SessionOptions};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tracefs::Tree;
use tracefs_fuse::{Mount, MountOptions, Server};

/// A mounted session. It ends with the test: unmounted, its server gone.
pub struct Mounted {
    scratch: Arc<TempDir>,
    directory: PathBuf,
    server: Option<JoinHandle<std::io::Result<()>>>,
    server_thread: i32,
}

impl Mounted {
    /// With buffers of 1 MB.
    pub fn new() -> Mounted {
        let scratch = Arc::new(tempfile::tempdir().unwrap());
        let options =
            SessionOptions { buffer_kb: 1024, snapshots: 1, instances: 2, ..SessionOptions::default() };
        Session::create(&scratch.path().join("session"), &options).unwrap();
        Mounted::at(scratch, "tracing", &MountOptions::default())
    }

    /// Mounts the session at another directory.
    pub fn again(&self) -> Mounted {
        Mounted::at(self.scratch.clone(), "again", &MountOptions::default())
    }

    fn at(scratch: Arc<TempDir>, name: &str, options: &MountOptions) -> Mounted {
        let directory = scratch.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        let tree = Tree::new(Instance::open(&scratch.path().join("session")).unwrap());
        let mount = Mount::new(&directory, options).unwrap_or_else(|error| panic!("{error}"));
        let (sender, receiver) = std::sync::mpsc::channel();
        let server = std::thread::spawn(move || {
            sender.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
            Server::new(tree, mount).run()
        });
        let server_thread = receiver.recv().unwrap();
        Mounted { scratch, directory, server: Some(server), server_thread }
    }

    /// With a group.
    pub fn with_group(gid: u32) -> Mounted {
        let scratch = Arc::new(tempfile::tempdir().unwrap());
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        Session::create(&scratch.path().join("session"), &options).unwrap();
        Mounted::at(scratch, "tracing", &MountOptions { gid: Some(gid) })
    }

    /// The thread that serves.
    pub fn server_thread(&self) -> i32 {
        self.server_thread
    }

    /// How many requests the server has answered: each by a write(2).
    pub fn answers(&self) -> u64 {
        let counts = std::fs::read_to_string(format!("/proc/self/task/{}/io", self.server_thread)).unwrap();
        counts.lines().find_map(|line| line.strip_prefix("syscw: ")?.parse().ok()).unwrap()
    }

    /// Where the session lies.
    pub fn session(&self) -> PathBuf {
        self.scratch.path().join("session")
    }

    /// One whose server has no rights to other processes' files.
    pub fn without_ptrace() -> Mounted {
        // The server's thread has the rights of the one that starts it, which has given this one up for good.
        let starting = std::thread::spawn(|| {
            let mut sets = capabilities(None).unwrap();
            sets.effective.remove(CapabilitySet::SYS_PTRACE);
            sets.permitted.remove(CapabilitySet::SYS_PTRACE);
            set_capabilities(None, sets).unwrap();
            Mounted::new()
        });
        starting.join().unwrap()
    }

    /// Where it is mounted.
    pub fn path(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    /// Opens a file of it.
    pub fn open(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        rustix::fs::open(self.path(path), flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o666))
    }

    /// All that a file has.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// What the shell's `>` does.
    pub fn write(&self, path: &str, text: &str) -> Result<(), Errno> {
        let file = self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)?;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let taken = rustix::io::write(&file, rest)?;
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// So many texts in the buffers.
    pub fn mark(&self, texts: usize) {
        let file = self.open("trace_marker", OFlags::WRONLY).unwrap();
        for number in 0..texts {
            rustix::io::write(&file, format!("number {number}").as_bytes()).unwrap();
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = tracefs_fuse::detach(&self.directory);
            return;
        }
        // RELEASE of the file that was closed last may be on its way.
        eventually(|| tracefs_fuse::unmount(&self.directory).is_ok());
        self.server.take().unwrap().join().unwrap().unwrap();
    }
}

/// Waits until something is so.
pub fn eventually(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "it never was");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// So many texts in the buffer of a CPU.
pub fn mark_on(mounted: &Mounted, cpu: usize, texts: usize) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut set = CpuSet::new();
            set.set(cpu);
            sched_setaffinity(None, &set).unwrap();
            mounted.mark(texts);
        });
    });
}

/// How often a thread of this process has gone to sleep, or was made to.
pub fn switches(thread: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap();
    let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
    counts.map(|line| line.split_ascii_whitespace().next_back().unwrap().parse::<u64>().unwrap()).sum()
}

/// Reads what is there, of at most `size` bytes.
pub fn read(file: &OwnedFd, size: usize) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; size];
    let len = rustix::io::read(file, &mut buffer)?;
    buffer.truncate(len);
    Ok(buffer)
}

/// The names in a directory.
pub fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All that a command says on standard output; it has to succeed.
pub fn output(command: &mut std::process::Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// All of a file, from where it is.
pub fn rest(file: OwnedFd) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::from(file).read_to_end(&mut bytes).unwrap();
    bytes
}
