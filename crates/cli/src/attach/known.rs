//! What a session knows of a process.

use super::named::NamedProcess;
use control::ProcessInfo;
use session::Instance;

/// Whether a session knows a process as attached.
pub(super) fn is_known(session: &Instance, process: &NamedProcess) -> bool {
    let is_it = |found: ProcessInfo| {
        found.end_time == 0 && found.status.obstacle().is_none() && !found.status.is_detached()
    };
    session.control().find_process(process.pid).is_some_and(is_it)
}
