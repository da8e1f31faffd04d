//! A session that another process serves, as `lookback mount` does.

use clap::Args;
use session::{Author, Instance, Marker, Selection, Session, SessionOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tracefs::Tree;
use tracefs_fuse::{Mount, MountOptions, Server};

/// A mounted session, which goes with this.
pub struct MountPlace {
    directory: TempDir,
    session: Arc<Instance>,
    server: Child,
}

/// The server's arguments.
#[derive(Debug, Args)]
pub struct Serve {
    session: PathBuf,
    directory: PathBuf,
}

/// Serves a session until it is unmounted.
pub fn serve(arguments: &Serve) -> Result<(), String> {
    let session = Instance::open(&arguments.session).map_err(|error| error.to_string())?;
    let mount =
        Mount::new(&arguments.directory, &MountOptions::default()).map_err(|error| error.to_string())?;
    Server::new(Tree::new(session), mount).run().map_err(|error| error.to_string())
}

impl MountPlace {
    /// With so many events in addition to its own.
    pub fn new(events: usize) -> Result<MountPlace, String> {
        let directory = tempfile::Builder::new().prefix("lookback-benches-").tempdir_in("/dev/shm");
        let directory = directory.map_err(|error| format!("/dev/shm: {error}"))?;
        let options = SessionOptions { buffer_kb: 65_536, ..SessionOptions::default() };
        let path = directory.path().join("session");
        let session = Session::create(&path, &options).map_err(|error| error.to_string())?;
        for number in 0..events {
            let format =
                "\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->number\n";
            let system = format!("benches{}", number % 40);
            session
                .control()
                .add_event(&system, &format!("event{number}"), format)
                .ok_or("no space for events")?;
        }
        let place = directory.path().join("tracing");
        std::fs::create_dir(&place).map_err(|error| error.to_string())?;
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut server = Command::new(own);
        server.arg("serve").arg(&path).arg(&place).stdin(Stdio::null());
        let server = server.spawn().map_err(|error| error.to_string())?;
        let mut place = MountPlace { directory, session: Arc::new(session), server };
        place.wait()?;
        Ok(place)
    }

    fn wait(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while !self.path("trace").exists() {
            if self.server.try_wait().is_ok_and(|status| status.is_some())
                || start.elapsed() > Duration::from_secs(10)
            {
                return Err("the session can't be mounted: that needs root, or fusermount3".to_string());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// A path of the mount.
    pub fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join("tracing").join(path)
    }

    /// The session's directory.
    pub fn session_path(&self) -> PathBuf {
        self.directory.path().join("session")
    }

    /// Enables the selected events.
    pub fn enable(&self, events: &str) -> Result<(), String> {
        let selection: Selection = events.parse().map_err(|_| format!("{events}: bad selection"))?;
        self.session.set(&selection, true).map_err(|error| error.to_string()).map(drop)
    }

    /// Writes so many events into the buffer of CPU 0, past the mount.
    pub fn fill(&self, events: u64) -> Result<(), String> {
        let marker = Marker::new(self.session.clone()).map_err(|error| error.to_string())?;
        crate::clock::pinned(&[0], || {
            let author = Author::current();
            (0..events).try_for_each(|_| marker.write_text(author, super::TEXT).map(drop))
        })
        .map_err(|_| "nothing is recorded".to_string())
    }
}

impl Drop for MountPlace {
    fn drop(&mut self) {
        let place: &Path = &self.path("");
        if tracefs_fuse::detach(place).is_err() {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}
