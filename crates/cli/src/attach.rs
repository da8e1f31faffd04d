//! `lookback attach` and `detach`: bring the agent into programs that run already, and end its part there.

mod elsewhere;
mod known;
mod meant;
mod named;
mod obstacle;
mod prospect;
mod request;
mod visible;

use crate::arguments::{AttachArguments, DetachArguments};
use crate::duration::duration;
use crate::failure::{Done, Failure, code};
use crate::object::AgentObject;
use crate::persistent::note_what_is_missing;
use crate::say::{note, say};
use abi::attach::{AttachRequest, AttachResult};
use elsewhere::OtherSession;
pub(crate) use named::NamedProcess;
pub(crate) use prospect::AttachProspect;
use remote_call::{AgentFile, CallRefusal, Called, HandedDirectories};
use session::Instance;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// For how long a thread is looked for that can load the agent.
const TRY: Duration = Duration::from_secs(3);

/// Attaches processes to a session.
pub(crate) fn attach(arguments: &AttachArguments) -> Done {
    let session = arguments.which.open()?;
    session.session().check_trusted()?;
    note_what_is_missing(&session);
    let processes = meant::in_session(&session, &arguments.meant, false)?;
    each(&processes, "attached", |process| {
        let called = attach_process(&session, process)?;
        if called.is_of_go {
            note!(
                "lookback: {process} is a program of Go: its system calls (-e syscalls) but for the runtime's \
                 own, and calls of its functions are recorded; no returns, and no probes"
            );
        } else if AgentObject::for_process(process.pid).is_of_static() {
            note!(
                "lookback: {process} is a static program: its system calls (-e syscalls), functions and probes \
                 are recorded, and no calls of libc"
            );
        }
        Ok(called)
    })
}

/// Detaches processes from a session.
pub(crate) fn detach(arguments: &DetachArguments) -> Done {
    let session = arguments.which.open()?;
    let processes = meant::in_session(&session, &arguments.meant, true)?;
    each(&processes, "detached", |process| detach_process(&session, process))
}

/// Does something with each process, and says what has come of it.
fn each(processes: &[NamedProcess], done: &str, act: impl Fn(&NamedProcess) -> Done<Called>) -> Done {
    let mut is_complete = true;
    for process in processes {
        match act(process) {
            Ok(called) => {
                note!(
                    "lookback: {process} is {done}; its thread {} stood still for {}",
                    called.tid,
                    duration(called.stood_still.as_nanos() as u64)
                );
                if let Some(why) = called.makes_no_calls {
                    note!(
                        "lookback: {process} has filters of system calls (seccomp), {why}: its code, its fatal \
                         signals and further instances are left alone"
                    );
                }
            }
            Err(why) => {
                is_complete = false;
                say!("lookback: {process} was not {done}: {}", why.message());
            }
        }
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(code::FAILED) })
}

/// Attaches a process: one that is attached to a session which is over is detached from that before.
pub(crate) fn attach_process(session: &Instance, process: &NamedProcess) -> Done<Called> {
    let own = agent_file(process)?;
    if let Some(why) = obstacle::find(session, process, own.path) {
        return Err(Failure::failed(why));
    }
    let handed = handed(session, process, own.path)?;
    let agent = AgentFile { handed: handed.as_ref(), ..own };
    let attempt = || call(session, process, agent, (request::of, remote_call::load));
    let called = attempt()?;
    let is_over = || OtherSession::of(process).is_some_and(|other| other.is_over());
    let called = match called {
        Err(CallRefusal::NotAttachable(answer)) if answer.result == AttachResult::Elsewhere && is_over() => {
            match call(session, process, own, (request::of_none, remote_call::detach))? {
                Ok(_) => attempt()?,
                refused => refused,
            }
        }
        called => called,
    };
    called.map_err(|refusal| Failure::failed(advise(&refusal)))
}

/// Detaches a process.
pub(crate) fn detach_process(session: &Instance, process: &NamedProcess) -> Done<Called> {
    let not_attached = || Failure::failed("it is not attached to this session");
    if !known::is_known(session, process) {
        return Err(not_attached());
    }
    let called = call(session, process, agent_file(process)?, (request::of_none, remote_call::detach))?;
    called.map_err(|refusal| match refusal {
        // Another command has begun to detach it, and was killed: its thread has gone on by itself.
        CallRefusal::NotAttachable(answer) if answer.result == AttachResult::NotAttached => not_attached(),
        refusal => Failure::failed(advise(&refusal)),
    })
}

/// What the agent is told.
type RequestOf = fn(&Instance, &NamedProcess) -> Done<AttachRequest>;

/// What a thread of a process is made to do.
type RemoteStep = fn(u32, AgentFile<'_>, &AttachRequest, Duration) -> Result<Called, CallRefusal>;

fn call(
    session: &Instance,
    process: &NamedProcess,
    agent: AgentFile<'_>,
    (request, step): (RequestOf, RemoteStep),
) -> Done<Result<Called, CallRefusal>> {
    let request = request(session, process)?;
    // One at a time.
    let _lock = session.session().lock_settings()?;
    Ok(step(process.pid, agent, &request, TRY))
}

/// The agent, for a process that finds it or has loaded it.
fn agent_file(process: &NamedProcess) -> Done<AgentFile<'static>> {
    let object = AgentObject::for_process(process.pid);
    Ok(AgentFile { path: object.install()?, bytes: object.bytes, handed: None })
}

/// What a process is to be handed: nothing, where it finds the files by their paths.
fn handed(session: &Instance, process: &NamedProcess, object: &Path) -> Done<Option<HandedDirectories>> {
    let file = session.file();
    if visible::not_seen(process, [object, &file]).is_none() {
        return Ok(None);
    }
    let opened = HandedDirectories::of(object, &file);
    opened.map(Some).map_err(|error| Failure::failed(format_args!("{}: {error}", file.display())))
}

/// A refusal, with what helps.
fn advise(refusal: &CallRefusal) -> String {
    match refusal {
        CallRefusal::NoThread(why) => format!("{why}; it has gone on unharmed: try again"),
        CallRefusal::OtherAgent => "it has loaded another version of lookback: start it again".to_owned(),
        _ => refusal.to_string(),
    }
}
