//! A session with its mounts.

use crate::clients;
use crate::member::Member;
use crate::server::Server;
use session::{Session, SessionOptions};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The command.
pub const LOOKBACK: &str = env!("CARGO_BIN_EXE_lookback");

/// How long nobody may be without getting on.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A directory for a test with a session in it.
#[derive(Debug)]
pub struct Place {
    scratch: TempDir,
    random: Cell<u64>,
}

impl Place {
    pub fn new() -> Place {
        let scratch = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 512, snapshots: 1, instances: 4, ..SessionOptions::default() };
        Session::create(&scratch.path().join("session"), &options).unwrap();
        Place { scratch, random: Cell::new(0x9e37_79b9_7f4a_7c15) }
    }

    fn session(&self) -> PathBuf {
        self.scratch.path().join("session")
    }

    /// A number below another: the same sequence each time.
    pub fn random(&self, below: usize) -> usize {
        let mut state = self.random.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.set(state);
        (state >> 33) as usize % below
    }

    /// Mounts the session.
    pub fn serve(&self, name: &str) -> Server {
        let directory = self.scratch.path().join(name);
        fs::create_dir(&directory).unwrap();
        self.serve_at(directory)
    }

    /// Mounts it at a directory that is there.
    pub fn serve_at(&self, directory: PathBuf) -> Server {
        Server::start(&self.session(), directory)
    }

    /// Starts a client.
    pub fn client(&self, kind: &str, directory: &Path) -> Member {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["client", "--exact", "--ignored", "--nocapture"]);
        command.env(clients::KIND, kind).current_dir(directory);
        Member::start(kind, &mut command, false)
    }

    /// Starts a shell that is traced.
    pub fn program(&self, script: &str) -> Member {
        let mut command = Command::new(LOOKBACK);
        command.args(["run", "-q", "--", "sh", "-c", script]).env("LOOKBACK_SESSION", self.session());
        Member::start(script, &mut command, true)
    }

    /// Everything is on: whoever waits for events gets some.
    pub fn settle(&self, directory: &Path) {
        for (path, value) in [("tracing_on", "1"), ("events/libc/enable", "1"), ("events/sched/enable", "1")]
        {
            fs::write(directory.join(path), value).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn eventually(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < PATIENCE, "{what}: never");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Everything has a value that somebody has given to it; nobody has anything open.
    pub fn assert_whole(&self, directory: &Path) {
        let read = |path: &str| fs::read_to_string(directory.join(path)).unwrap().trim_end().to_string();
        for (path, values) in clients::CONTROLS {
            let found = read(path);
            assert!(values.iter().any(|value| clients::shown(path, value) == found), "{path}: {found:?}");
            for value in *values {
                fs::write(directory.join(path), value).unwrap();
                assert_eq!(read(path), clients::shown(path, value), "{path}");
            }
        }
        for path in ["trace_pipe", "per_cpu/cpu0/trace_pipe"] {
            self.eventually(path, || fs::File::open(directory.join(path)).is_ok());
        }
        let instances = fs::read_dir(directory.join("instances")).unwrap().map(|entry| entry.unwrap().path());
        for instance in instances.filter(|path| !path.ends_with("flight")) {
            self.eventually("removed", || fs::remove_dir(&instance).is_ok());
        }
        assert_eq!(fs::read_dir(directory.join("instances")).unwrap().count(), 1);
    }

    /// What a traced program does is recorded, and nothing else.
    pub fn assert_records(&self, directory: &Path) {
        self.settle(directory);
        for (path, value) in [("events/enable", "0"), ("trace", ""), ("set_event", "libc:access_exit")] {
            fs::write(directory.join(path), value).unwrap();
        }
        let mut program = Command::new(LOOKBACK);
        program.args(["run", "-q", "--", "python3", "-c", "import os; os.access('/nowhere', 0)"]);
        assert!(program.env("LOOKBACK_SESSION", self.session()).status().unwrap().success());
        let text = fs::read_to_string(directory.join("trace")).unwrap();
        let events = text.lines().filter(|line| !line.starts_with('#'));
        assert!(events.clone().all(|line| line.contains(": access_exit: ")), "{text}");
        assert!(events.clone().any(|line| line.contains("\"/nowhere\"")), "{text}");
    }

    /// Unmounts, after which the server ends.
    pub fn umount(&self, server: Server) {
        let directory = server.directory().to_path_buf();
        self.eventually("it can be unmounted", || self.try_umount(&directory));
        server.wait();
    }

    /// Takes away what a server has left that was killed.
    pub fn umount_dead(&self, server: Server) {
        assert!(self.try_umount(server.directory()));
    }

    fn try_umount(&self, directory: &Path) -> bool {
        Command::new(LOOKBACK).arg("umount").arg(directory).output().unwrap().status.success()
    }
}
