//! Whether a process could be attached, for one who only asks.

use super::{NamedProcess, advise, agent_file, handed, obstacle};
use crate::failure::{Done, Failure};
use crate::json::Json;
use session::Instance;

/// Whether a process could be attached, as far as that is seen while it goes on: by the same looks that
/// `lookback attach` begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AttachProspect {
    /// Nothing speaks against it.
    Possible,
    /// It has filters of system calls. What they allow is seen by stopping it.
    Filtered,
    /// It couldn't be, for a reason.
    Refused(String),
}

impl AttachProspect {
    /// That of a process. None if there is none with this PID.
    pub(crate) fn of(session: &Instance, pid: u32) -> Option<AttachProspect> {
        let process = NamedProcess::at(pid)?;
        Some(match is_filtered(session, &process) {
            Ok(false) => AttachProspect::Possible,
            Ok(true) => AttachProspect::Filtered,
            Err(why) => AttachProspect::Refused(why.message().to_string()),
        })
    }

    /// What it says in a list.
    pub(crate) fn text(&self) -> String {
        match self {
            AttachProspect::Possible => "`lookback attach` can attach it".to_owned(),
            AttachProspect::Filtered => {
                "`lookback attach` can attach it if its filters of system calls (seccomp) allow that"
                    .to_owned()
            }
            AttachProspect::Refused(why) => format!("`lookback attach` can't attach it: {why}"),
        }
    }

    pub(crate) fn json(&self) -> Json {
        let (can, why) = match self {
            AttachProspect::Possible => ("yes", None),
            AttachProspect::Filtered => ("if filters allow", None),
            AttachProspect::Refused(why) => ("no", Some(why)),
        };
        Json::Object(vec![("possible", Json::text(Some(can))), ("why_not", Json::text(why))])
    }
}

fn is_filtered(session: &Instance, process: &NamedProcess) -> Done<bool> {
    let own = agent_file(process)?;
    if let Some(why) = obstacle::find(session, process, own.path) {
        return Err(Failure::failed(why));
    }
    handed(session, process, own.path)?;
    remote_call::may_load(process.pid, own).map_err(|refusal| Failure::failed(advise(&refusal)))
}
