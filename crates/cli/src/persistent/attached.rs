//! The processes that are attached to a session.

use crate::json::Json;
use crate::persistent::ages;
use crate::persistent::pending::PendingProcess;
use crate::unseen::{FilesInPart, READS_TREE, limit_of_addresses};
use control::ProcessInfo;
use session::{Instance, object_path};
use std::path::PathBuf;

/// A process that is attached.
#[derive(Debug)]
pub(super) struct AttachedProcess {
    pub(super) pid: u32,
    pub(super) comm: String,
    /// What it runs, as far as the session knows.
    pub(super) exe: Option<String>,
    /// How long it has run that, in ns. None for one that has recorded nothing since it was forked.
    pub(super) age: Option<u64>,
    /// Whether its PID counts in another namespace than this command's.
    pub(super) is_elsewhere: bool,
    /// The inode of that namespace; 0 where it isn't known.
    pub(super) namespace: u64,
    /// Its PID as this command knows it, where it counts in another namespace and is seen from here.
    pub(super) pid_here: Option<u32>,
    /// Why it maps no more of the session than it has; None where it does.
    pub(super) confined: Option<Confined>,
    /// Whether its events are not recorded, as it reads the control tree.
    pub(super) is_left_out: bool,
    /// Why not all that it does is seen; None where nothing says so.
    pub(super) in_part: Option<String>,
    /// How many of its functions are traced.
    pub(super) traced_functions: u32,
    /// Why it traces no functions; None where nothing is wrong.
    pub(super) functions_off: Option<String>,
    /// Why it doesn't trace the functions that are wanted yet; None where it does.
    pub(super) pending: Option<String>,
}

/// Why a process maps no more of a session than it has: then it records in no instance that it gets to know
/// later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confined {
    /// It may have a filter of system calls.
    Sandbox,
    /// Its addresses are limited.
    Addresses,
}

impl Confined {
    /// The reason in words.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Confined::Sandbox => "sandboxed: records in no further instances",
            Confined::Addresses => {
                "its address space is limited (ulimit -v): records in no further instances"
            }
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Confined::Sandbox => "sandbox",
            Confined::Addresses => "addresses",
        }
    }

    fn of(process: &ProcessInfo, is_elsewhere: bool) -> Option<Confined> {
        match process.status.may_call() {
            false => Some(Confined::Sandbox),
            true => {
                let directory = PathBuf::from(format!("/proc/{}", process.pid));
                let is_limited = !is_elsewhere && limit_of_addresses(&directory).is_some();
                is_limited.then_some(Confined::Addresses)
            }
        }
    }
}

impl AttachedProcess {
    /// Those that the session knows, by PID.
    pub(super) fn all(session: &Instance) -> Vec<AttachedProcess> {
        let age = ages(session);
        let control = session.control();
        let here = session::pid_namespace();
        let running = control.processes().filter(|process| process.end_time == 0);
        let mut files = FilesInPart::new(session);
        let pending = PendingProcess::all(session);
        let mut all: Vec<AttachedProcess> = running
            .filter(|process| process.status.obstacle().is_none() && !process.status.is_detached())
            .map(|process| {
                let is_elsewhere = process.pid_namespace != here;
                AttachedProcess {
                    pid: process.pid,
                    comm: process.name().to_string(),
                    exe: exe(session, process.entry),
                    age: age(process.start_time),
                    is_elsewhere,
                    namespace: process.pid_namespace,
                    pid_here: is_elsewhere.then(|| session.session().pid_here(&process)).flatten(),
                    confined: Confined::of(&process, is_elsewhere),
                    is_left_out: process.status.is_left_out(),
                    in_part: files.why(control.maps(process.entry)),
                    traced_functions: process.traced_functions,
                    functions_off: session.session().functions_off(&process),
                    pending: pending
                        .iter()
                        .find(|pending| pending.entry() == process.entry)
                        .map(PendingProcess::describe),
                }
            })
            .collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    /// Its PID as this command knows it, if it is seen from here.
    pub(super) fn here(&self) -> Option<u32> {
        if self.is_elsewhere { self.pid_here } else { Some(self.pid) }
    }

    pub(super) fn json(&self) -> Json {
        Json::Object(vec![
            ("pid", Json::Number(self.pid.into())),
            ("comm", Json::Text(self.comm.clone())),
            ("exe", Json::text(self.exe.as_ref())),
            ("age_ns", Json::number(self.age)),
            ("other_pid_namespace", Json::Bool(self.is_elsewhere)),
            ("pid_here", Json::number(self.pid_here.map(u64::from))),
            ("confined_by", Json::text(self.confined.map(Confined::name))),
            ("left_out_because", Json::text(self.is_left_out.then_some(READS_TREE))),
            ("in_part", Json::text(self.in_part.as_ref())),
            ("traced_functions", Json::Number(self.traced_functions.into())),
            ("functions_off_because", Json::text(self.functions_off.as_ref())),
            ("functions_pending_because", Json::text(self.pending.as_ref())),
        ])
    }
}

/// The path of what a process has mapped first: its program.
fn exe(session: &Instance, entry: u32) -> Option<String> {
    let control = session.control();
    let object = control.object(control.maps(entry).next()?.object)?;
    Some(object_path(control, &object)?.to_string_lossy().into_owned())
}
