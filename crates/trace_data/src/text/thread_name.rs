//! The names of threads.

use super::{Layout, Tasks, printable};
use std::borrow::Cow;

/// The name that a thread is shown with.
pub(super) fn thread_name(tasks: &dyn Tasks, pid: i32, layout: Layout) -> Cow<'_, str> {
    let comm = tasks.comm(pid).filter(|_| layout.comm).unwrap_or(match pid {
        0 => "<idle>",
        ..0 => "<XXX>",
        _ => "<...>",
    });
    if layout.escape { printable(comm) } else { comm.into() }
}
