//! What a session knows of a process.

use super::named::NamedProcess;
use control::ProcessInfo;
use session::{Instance, OwnPid};

/// Whether a session knows a process as attached.
pub(super) fn is_known(session: &Instance, process: &NamedProcess) -> bool {
    let is_it = |found: ProcessInfo| {
        found.end_time == 0 && found.status.obstacle().is_none() && !found.status.is_detached()
    };
    let Some(own) = OwnPid::of(process.pid) else { return false };
    let has_its_pid = |found: &ProcessInfo| found.pid == own.pid && is_of(found, own.namespace);
    session.control().processes().filter(has_its_pid).any(is_it)
}

/// Whether a process is of a pid namespace, as far as the session knows.
fn is_of(process: &ProcessInfo, namespace: u64) -> bool {
    [0, namespace].contains(&process.pid_namespace)
}

/// Whether a session has processes that run in another pid namespace than a process: their PIDs may be its
/// own.
pub(super) fn has_others(session: &Instance, process: &NamedProcess) -> bool {
    let Some(own) = OwnPid::of(process.pid) else { return false };
    let mut others = session.control().processes().filter(|found| found.end_time == 0);
    others.any(|found| !is_of(&found, own.namespace))
}
