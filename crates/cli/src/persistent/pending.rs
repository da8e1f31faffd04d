//! Processes that don't trace the functions that are wanted yet: which ones, why, and what helps.

use crate::duration::duration;
use crate::json::Json;
use crate::number::count;
use crate::object::AgentObject;
use crate::say::note;
use crate::unseen::limit_of_addresses;
use control::ProcessInfo;
use remote_call::{Activity, CallRefusal, Called};
use session::{Error, Instance};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use trace_data::text::printable;

/// How long processes have to follow by themselves, before something is said or done about it.
const WAIT: Duration = Duration::from_millis(100);

/// For how long a process is tried to be interrupted.
const TRY: Duration = Duration::from_millis(500);

/// A process that doesn't trace the functions that are wanted.
#[derive(Debug)]
pub(super) struct PendingProcess {
    process: ProcessInfo,
    /// Its PID as this command knows it.
    here: Option<u32>,
    why: PendingReason,
}

/// Why it doesn't.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PendingReason {
    Does(Activity),
    /// Its code is left alone: system calls might not be allowed.
    Filter,
    /// Its code is left alone: memory might be missing.
    LimitedAddresses,
    /// It can't be looked at from here.
    Elsewhere,
}

impl PendingProcess {
    fn new(session: &Instance, process: ProcessInfo) -> PendingProcess {
        let here = session.session().pid_here(&process);
        let why = match here {
            _ if !process.status.may_call() => PendingReason::Filter,
            None => PendingReason::Elsewhere,
            Some(pid) if is_limited(pid) => PendingReason::LimitedAddresses,
            Some(pid) => PendingReason::Does(Activity::of(pid)),
        };
        PendingProcess { process, here, why }
    }

    /// Those of a session now.
    pub(super) fn all(session: &Instance) -> Vec<PendingProcess> {
        let pending = session.session().outdated_functions().into_iter();
        let pending = pending.map(|process| PendingProcess::new(session, process));
        pending.filter(PendingProcess::is_there).collect()
    }

    fn is_there(&self) -> bool {
        self.why != PendingReason::Does(Activity::Gone)
    }

    /// The index of its entry.
    pub(super) fn entry(&self) -> u32 {
        self.process.entry
    }

    /// Why it doesn't, and when it will.
    pub(super) fn describe(&self) -> String {
        match &self.why {
            PendingReason::Filter => {
                "has a filter of system calls (seccomp): its code is left alone".to_owned()
            }
            PendingReason::LimitedAddresses => {
                "its address space is limited (ulimit -v): its code is left alone".to_owned()
            }
            PendingReason::Elsewhere => "is in another pid namespace, and not seen from here".to_owned(),
            PendingReason::Does(activity) => match activity {
                Activity::Gone => "has ended".to_owned(),
                Activity::Stopped => "is stopped (SIGSTOP, SIGTSTP): follows once it continues".to_owned(),
                Activity::StoppedBy(pid) => {
                    format!("is stopped by process {pid}, its debugger: follows once it continues")
                }
                Activity::Runs => "runs, but makes no call that is wrapped".to_owned(),
                Activity::Sleeps { call, slept: None } => format!("sleeps in {call}"),
                Activity::Sleeps { call, slept: Some(slept) } => {
                    format!("sleeps in {call}, for {} so far", duration(slept.as_nanos() as u64))
                }
                Activity::Hidden(refusal) => format!("can't be looked at: {refusal}"),
            },
        }
    }

    /// Whether an interruption may help.
    fn can_be_interrupted(&self) -> bool {
        matches!(self.why, PendingReason::Does(Activity::Runs | Activity::Sleeps { .. }))
    }

    fn name(&self) -> String {
        format!("{}-{}", printable(self.process.name()), self.process.pid)
    }

    /// Has it bring its code up to date now.
    fn interrupt(&self, session: &Instance) -> Result<Result<Called, CallRefusal>, Error> {
        let Some(pid) = self.here else {
            let elsewhere = "it is in another pid namespace, and not seen from here".to_owned();
            return Ok(Err(CallRefusal::System(elsewhere)));
        };
        // One at a time.
        let _lock = session.session().lock_settings()?;
        Ok(remote_call::call(pid, AgentObject::for_process(pid).bytes, TRY))
    }

    /// A line about it.
    pub(super) fn line(&self) -> String {
        format!("{}: {}", self.name(), self.describe())
    }

    pub(super) fn json(&self) -> Json {
        Json::Object(vec![
            ("pid", Json::Number(self.process.pid.into())),
            ("comm", Json::text(Some(self.process.name()))),
            ("why", Json::text(Some(self.describe()))),
        ])
    }
}

fn is_limited(pid: u32) -> bool {
    limit_of_addresses(Path::new(&format!("/proc/{pid}"))).is_some()
}

/// Says which processes don't follow at once a change of what functions are wanted, and why; and interrupts
/// them, if they are to follow `now`. `before` is the session's number of changes before that one.
pub(super) fn follow(session: &Instance, before: u32, now: bool) -> Result<ExitCode, Error> {
    if session.control().functions_wanted() == before && !now {
        return Ok(ExitCode::SUCCESS);
    }
    session.session().await_functions(WAIT);
    let pending = PendingProcess::all(session);
    if !now {
        say(session, &pending);
        return Ok(ExitCode::SUCCESS);
    }
    let mut is_complete = true;
    for process in pending {
        match process.interrupt(session)? {
            Ok(Called { stood_still, .. }) => note!(
                "lookback: {} was interrupted for {}, and has followed",
                process.name(),
                duration(stood_still.as_nanos() as u64)
            ),
            Err(CallRefusal::Gone) => {}
            Err(refusal) => {
                is_complete = false;
                note!("lookback: {} was not interrupted: {refusal}", process.name());
            }
        }
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Has processes take their code back to what it was, as the session is deleted, and says which have not done
/// so yet.
pub(super) fn leave(session: &Instance) {
    session.session().await_functions(WAIT);
    let mut pending = PendingProcess::all(session);
    // Those whose code is left alone have it so.
    pending.retain(|process| matches!(process.why, PendingReason::Does(_) | PendingReason::Elsewhere));
    say_which(&pending, "have their code as it was before");
}

/// Says which processes have not followed yet.
fn say_which(pending: &[PendingProcess], follow: &str) {
    if !pending.is_empty() {
        let who = count(pending.len() as u64, "process", "processes");
        note!("lookback: {who} will {follow} at the next call that is wrapped:");
        pending.iter().for_each(|process| note!("  {}", process.line()));
    }
}

/// Says which processes have not followed yet, and what to do about it.
fn say(session: &Instance, pending: &[PendingProcess]) {
    if pending.is_empty() {
        return;
    }
    say_which(pending, "follow");
    if pending.iter().any(PendingProcess::can_be_interrupted) {
        note!("  {} interrupts them", advice(session));
    }
}

/// The command that interrupts those that are pending.
pub(super) fn advice(session: &Instance) -> String {
    format!("`lookback set --now{}`", super::option(session.path()))
}
