//! `lookback attach`: brings the agent into programs that run already.

mod named;
mod obstacle;
mod request;

use crate::arguments::AttachArguments;
use crate::duration::duration;
use crate::failure::{Done, Failure, code};
use crate::object;
use crate::persistent::note_what_is_missing;
use crate::say::{note, say};
use named::NamedProcess;
use remote_call::{AgentFile, CallRefusal, Called};
use session::Instance;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// For how long a thread is looked for that can load the agent.
const TRY: Duration = Duration::from_secs(3);

/// Attaches processes to a session.
pub(crate) fn run(arguments: &AttachArguments) -> Done {
    let session = arguments.which.open()?;
    session.session().check_trusted()?;
    let processes = NamedProcess::all(&arguments.processes, arguments.all)?;
    let object = object::install()?;
    note_what_is_missing(&session);
    let mut is_complete = true;
    for process in processes {
        match attach(&session, &process, &object) {
            Ok(called) => note!(
                "lookback: {process} is attached; its thread {} stood still for {}",
                called.tid,
                duration(called.stood_still.as_nanos() as u64)
            ),
            Err(why) => {
                is_complete = false;
                say!("lookback: {process} was not attached: {}", why.message());
            }
        }
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(code::FAILED) })
}

fn attach(session: &Instance, process: &NamedProcess, object: &Path) -> Done<Called> {
    if let Some(why) = obstacle::find(session, process, object) {
        return Err(Failure::failed(why));
    }
    let request = request::of(session, process)?;
    let agent = AgentFile { path: object, bytes: object::OBJECT };
    // One at a time.
    let _lock = session.session().lock_settings()?;
    remote_call::load(process.pid, agent, &request, TRY).map_err(|refusal| Failure::failed(advise(&refusal)))
}

/// A refusal, with what helps.
fn advise(refusal: &CallRefusal) -> String {
    match refusal {
        CallRefusal::NoThread(why) => format!("{why}; it has gone on unharmed: try again"),
        CallRefusal::OtherAgent => "it has loaded another version of lookback: start it again".to_owned(),
        _ => refusal.to_string(),
    }
}
