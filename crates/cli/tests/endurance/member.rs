//! A process that is attached: a client of the mount, or a traced program.

use crate::place::PATIENCE;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A process with a group of its own, which ends with this.
#[derive(Debug)]
pub struct Member {
    kind: String,
    child: Child,
    is_program: bool,
    /// Where a client says how often it has done what it does.
    count: File,
    said: File,
    seen: u64,
    seen_at: Instant,
}

impl Member {
    /// Starts a client, or another program.
    pub fn start(kind: &str, command: &mut Command, is_program: bool) -> Member {
        let (count, said) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        command.stdin(count.try_clone().unwrap()).stderr(said.try_clone().unwrap());
        let child = command.stdout(Stdio::null()).process_group(0).spawn().unwrap();
        let (kind, seen_at) = (kind.to_string(), Instant::now());
        Member { kind, child, is_program, count, said, seen: 0, seen_at }
    }

    /// Whether it is traced, and no client.
    pub fn is_program(&self) -> bool {
        self.is_program
    }

    /// How often it has done what it does.
    pub fn count(&self) -> u64 {
        let mut count = [0; 8];
        // Nothing is there until the first time.
        let _ = self.count.read_exact_at(&mut count, 0);
        u64::from_le_bytes(count)
    }

    /// It goes on, now and then at least.
    #[track_caller]
    pub fn assert_gets_on(&mut self) {
        let count = self.count();
        if count != self.seen {
            (self.seen, self.seen_at) = (count, Instant::now());
        }
        self.assert_lives();
        assert!(self.seen_at.elapsed() < PATIENCE, "{}: hangs: {}", self.kind, self.state());
    }

    /// Waits until it has done something.
    #[track_caller]
    pub fn wait_until(&mut self, why: &str, is_so: impl Fn(&Member) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            self.assert_lives();
            assert!(start.elapsed() < PATIENCE, "{}: {why}: {}", self.kind, self.state());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// It ends only when it is killed.
    #[track_caller]
    fn assert_lives(&mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            panic!("{}: ended: {status}: {}", self.kind, self.said());
        }
    }

    /// Kills it, wherever it is, with all that it has started; and waits until it is gone.
    #[track_caller]
    pub fn kill(mut self) {
        // Programs end when they like; clients only so.
        if !self.is_program {
            self.assert_lives();
        }
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let status = self.ended();
        assert!(self.is_program || status.signal() == Some(9), "{}: {status}: {}", self.kind, self.said());
    }

    /// It ends by itself, with this code.
    #[track_caller]
    pub fn assert_ends(mut self, code: i32) {
        let status = self.ended();
        assert_eq!(status.code(), Some(code), "{}: {status}: {}", self.kind, self.said());
    }

    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "{}: doesn't end: {}", self.kind, self.state());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn said(&self) -> String {
        let mut bytes = vec![0; 1 << 16];
        let len = self.said.read_at(&mut bytes, 0).unwrap();
        String::from_utf8_lossy(&bytes[..len]).into_owned()
    }

    /// What it is in.
    fn state(&self) -> String {
        let mut state = String::new();
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        for thread in threads.into_iter().flatten().flatten() {
            for name in ["stat", "wchan", "syscall"] {
                state += &fs::read_to_string(thread.path().join(name)).unwrap_or_default();
                state.push(' ');
            }
        }
        state
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            // One that can't be killed must not keep a test that has failed from ending.
            if !std::thread::panicking() {
                let _ = self.child.wait();
            }
        }
    }
}
