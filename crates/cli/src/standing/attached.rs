//! The processes that take part in a session.

use crate::json::Json;
use crate::standing::ages;
use session::Session;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// A process that is attached.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) pid: u32,
    pub(super) comm: String,
    /// What it runs, as far as the session knows.
    pub(super) exe: Option<String>,
    /// How long it has run that, in ns. None for one that has recorded nothing since it was forked.
    pub(super) age: Option<u64>,
    /// Whether its PID counts in another namespace than the session's.
    pub(super) is_elsewhere: bool,
}

impl Attached {
    /// Those that the session knows, by PID.
    pub(super) fn all(session: &Session) -> Vec<Attached> {
        let age = ages(session);
        let control = session.control();
        let here = control.identity().pid_namespace;
        let running = control.processes().filter(|process| process.end_time == 0);
        let mut all: Vec<Attached> = running
            .map(|process| Attached {
                pid: process.pid,
                comm: process.name().to_string(),
                exe: exe(session, process.entry),
                age: age(process.start_time),
                is_elsewhere: process.pid_namespace != here,
            })
            .collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    pub(super) fn json(&self) -> Json {
        Json::Object(vec![
            ("pid", Json::Number(self.pid.into())),
            ("comm", Json::Text(self.comm.clone())),
            ("exe", Json::text(self.exe.as_ref())),
            ("age_ns", Json::number(self.age)),
            ("other_pid_namespace", Json::Bool(self.is_elsewhere)),
        ])
    }
}

/// The path of what a process has mapped first: its program.
fn exe(session: &Session, entry: u32) -> Option<String> {
    let control = session.control();
    let object = control.object(control.maps(entry).next()?.object)?;
    let mut buffer = vec![0; object.path_len()];
    let path = control.object_path(&object, &mut buffer)?;
    Some(OsStr::from_bytes(path).to_string_lossy().into_owned())
}
