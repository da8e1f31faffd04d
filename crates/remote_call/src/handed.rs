//! Directories that a process doesn't find by their paths: it is handed descriptors of them.
//!
//! It finds what is in them by the paths that its descriptors have in /proc.

use rustix::fs::{Mode, OFlags, open};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Directories that a process is to get.
#[derive(Debug)]
pub struct HandedDirectories {
    agent: OwnedFd,
    session: OwnedFd,
    session_file: OsString,
}

/// What a process has got: its descriptors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReceivedDirectories {
    pub(crate) agent: i32,
    pub(crate) session: i32,
}

impl HandedDirectories {
    /// Those of the agent's file and the session's.
    ///
    /// # Errors
    ///
    /// When they can't be opened.
    pub fn of(agent: &Path, session: &Path) -> io::Result<HandedDirectories> {
        let open = |file: &Path| {
            let directory = file.parent().unwrap_or(Path::new("/"));
            open(directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        };
        let session_file = session.file_name().unwrap_or_default().to_owned();
        Ok(HandedDirectories { agent: open(agent)?, session: open(session)?, session_file })
    }

    /// Where a process finds the session's file that has got it.
    pub(crate) fn session_file(&self, received: ReceivedDirectories) -> OsString {
        path(received.session, &self.session_file)
    }

    /// Sends them to a socket that the process has.
    pub(crate) fn send(&self, pid: u32, socket: i32) -> rustix::io::Result<()> {
        let process = pidfd_open(
            Pid::from_raw(pid.cast_signed()).ok_or(rustix::io::Errno::SRCH)?,
            PidfdFlags::empty(),
        )?;
        let socket = pidfd_getfd(&process, socket, PidfdGetfdFlags::empty())?;
        let descriptors = [self.agent.as_fd(), self.session.as_fd()];
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        sendmsg(&socket, &[IoSlice::new(b"d")], &mut control, SendFlags::NOSIGNAL).map(drop)
    }
}

impl ReceivedDirectories {
    /// Where the process finds a file in the agent's directory.
    pub(crate) fn agent_file(self, name: &OsStr) -> OsString {
        path(self.agent, name)
    }
}

/// In a process's directory of its own descriptors, whatever PID its /proc has for it.
fn path(descriptor: i32, name: &OsStr) -> OsString {
    let mut path = OsString::from(format!("/proc/self/fd/{descriptor}/"));
    path.push(name);
    path
}
