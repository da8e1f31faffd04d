//! A process that serves a mount.

use crate::place::{LOOKBACK, PATIENCE};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A mount with its server, which is killed if the test fails.
#[derive(Debug)]
pub struct Server {
    child: Child,
    directory: PathBuf,
}

/// What a server takes.
#[derive(Debug, Clone)]
pub struct Use {
    /// What it has open.
    pub descriptors: Vec<PathBuf>,
    pub threads: usize,
    /// Memory of its own.
    pub memory_kb: u64,
}

impl Use {
    /// Whether nothing has come to what was open and what ran before.
    pub fn opens_as_much_as(&self, before: &Use) -> bool {
        self.descriptors.len() <= before.descriptors.len() && self.threads <= before.threads
    }
}

impl Server {
    /// Mounts a session at a directory.
    pub fn start(session: &Path, directory: PathBuf) -> Server {
        let mut command = Command::new(LOOKBACK);
        command.args(["mount", "-f", "--session"]).arg(session).arg(&directory);
        let child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        let server = Server { child, directory };
        server.wait_until("it doesn't serve", || server.directory.join("trace").exists());
        server
    }

    /// Where it is mounted.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What it takes now.
    pub fn uses(&self) -> Use {
        let own = format!("/proc/{}", self.child.id());
        let entries = |name: &str| fs::read_dir(format!("{own}/{name}")).unwrap().flatten();
        let status = fs::read_to_string(format!("{own}/status")).unwrap();
        let memory = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next());
        Use {
            descriptors: entries("fd").filter_map(|entry| fs::read_link(entry.path()).ok()).collect(),
            threads: entries("task").count(),
            memory_kb: memory.unwrap().parse().unwrap(),
        }
    }

    /// Waits until it has no more open than before.
    #[track_caller]
    pub fn wait_until_idle(&self, before: &Use) {
        // It may have the state of the thread open that has asked last, if that has asked often.
        fs::metadata(self.directory.join("trace")).unwrap();
        self.wait_until(&format!("it keeps something: {before:?}"), || self.uses().opens_as_much_as(before));
    }

    #[track_caller]
    fn wait_until(&self, why: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < PATIENCE, "{}: {why}; {:?}", self.directory.display(), self.uses());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills it. Where it was mounted everybody is told so.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, which has come with that of the mount.
    #[track_caller]
    pub fn wait(mut self) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(start.elapsed() < PATIENCE, "the server doesn't end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        if std::thread::panicking() {
            let _ = Command::new("umount").arg("-l").arg(&self.directory).status();
        }
    }
}
