//! What the agent is told.

use super::named::NamedProcess;
use crate::failure::{Done, Failure};
use abi::attach::{AttachRequest, NAMED_THREADS, NamedThread};
use abi::control::LONGEST_PATH;
use session::{Instance, OwnPid, innermost};
use std::fs::{read, read_dir, read_to_string};
use std::os::unix::ffi::OsStrExt;

/// What the agent is told when a process is to be detached: the session is none.
pub(super) fn of_none(session: &Instance, process: &NamedProcess) -> Done<AttachRequest> {
    Ok(AttachRequest { session: 0, ..of(session, process)? })
}

/// What the agent is told when a process is to be attached to a session.
pub(super) fn of(session: &Instance, process: &NamedProcess) -> Done<AttachRequest> {
    let path = session.file();
    let path = std::path::absolute(&path).unwrap_or(path);
    let bytes = path.as_os_str().as_bytes();
    let mut file = [0; LONGEST_PATH];
    // One zero byte stays at its end.
    match file[..LONGEST_PATH - 1].get_mut(..bytes.len()) {
        Some(place) => place.copy_from_slice(bytes),
        None => return Err(Failure::failed(format_args!("{} is too long a path", path.display()))),
    }
    let session = session.control().identity().number;
    Ok(AttachRequest {
        session,
        freed: 0,
        mask: 0,
        may_call: 0,
        pid_namespace: OwnPid::of(process.pid).map_or(0, |own| own.namespace),
        comm: name(process.comm.as_bytes()),
        file,
        threads: threads(process),
    })
}

/// The names of its threads, of those that have another one than the first.
fn threads(process: &NamedProcess) -> [NamedThread; NAMED_THREADS] {
    let directory = format!("/proc/{}/task", process.pid);
    let tids = read_dir(&directory).into_iter().flatten().flatten();
    let named = tids.filter_map(|entry| {
        let tid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let own = innermost(&read_to_string(entry.path().join("status")).ok()?)?;
        let comm = read(entry.path().join("comm")).ok()?;
        let comm = comm.strip_suffix(b"\n").unwrap_or(&comm);
        let is_own = tid != process.pid && comm != process.comm.as_bytes();
        is_own.then(|| NamedThread { tid: own, comm: name(comm) })
    });
    let mut threads = [NamedThread::default(); NAMED_THREADS];
    threads.iter_mut().zip(named).for_each(|(place, thread)| *place = thread);
    threads
}

/// A name with zeros after it.
fn name(text: &[u8]) -> [u8; 16] {
    let mut comm = [0; 16];
    comm.iter_mut().zip(text.iter().take(15)).for_each(|(to, from)| *to = *from);
    comm
}
