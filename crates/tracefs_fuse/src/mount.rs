//! Mounting and unmounting: by mount(2) where that is allowed, else by `fusermount3`, which may.

use crate::error::Error;
use crate::mount_table::{self, TYPE};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, IoSliceMut};
use rustix::mount::{MountFlags, UnmountFlags};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType, recvmsg,
    socketpair,
};
use rustix::process::{getegid, geteuid};
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `/proc/mounts` shows of our mounts as their source.
const SOURCE: &str = "lookback";

/// The kernel's device.
const DEVICE: &str = "/dev/fuse";

/// The program that mounts for users without the right to.
const HELPER: &str = "fusermount3";

/// How something is to be mounted.
#[derive(Debug, Default, Clone)]
pub struct MountOptions {
    /// The group of all files; else that of this process.
    pub gid: Option<u32>,
}

/// A place where something is mounted that nobody serves yet: who looks there waits.
#[derive(Debug)]
pub struct Mount {
    device: OwnedFd,
    gid: Option<u32>,
}

impl Mount {
    /// Mounts at a directory. What was there is covered.
    ///
    /// With the right to mount, everybody may go there whom the modes of the files let; without, only the
    /// user. The calling process must not look there before a server runs.
    ///
    /// # Errors
    ///
    /// Where there is no FUSE, no such directory, or no right to mount anything there.
    pub fn new(directory: &Path, options: &MountOptions) -> Result<Mount, Error> {
        match Mount::without_helper(directory, options) {
            Err(error) if error.is_denied() => {
                Ok(Mount { device: mount_by_helper(directory)?, gid: options.gid })
            }
            mount => mount,
        }
    }

    /// Mounts by mount(2) alone: in a user namespace the helper has no more rights than its caller.
    ///
    /// # Errors
    ///
    /// As of [`Mount::new`].
    pub fn without_helper(directory: &Path, options: &MountOptions) -> Result<Mount, Error> {
        let device = rustix::fs::open(DEVICE, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| Error::Device { error: error.into() })?;
        mount(&device, directory)?;
        Ok(Mount { device, gid: options.gid })
    }

    pub(crate) fn gid(&self) -> Option<u32> {
        self.gid
    }

    pub(crate) fn into_device(self) -> OwnedFd {
        self.device
    }
}

fn mount(device: &OwnedFd, directory: &Path) -> Result<(), Error> {
    let options = format!(
        "fd={},rootmode=40000,user_id={},group_id={},default_permissions,allow_other",
        device.as_raw_fd(),
        geteuid().as_raw(),
        getegid().as_raw()
    );
    // Has no zero in it.
    let options = CString::new(options).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount(SOURCE, directory, TYPE, flags, options.as_c_str())
        .map_err(|error| Error::Mount { path: directory.to_path_buf(), error: error.into() })
}

/// Has the helper mount. It sends the device over a socket.
fn mount_by_helper(directory: &Path) -> Result<OwnedFd, Error> {
    let failed = |error: Errno| Error::Mount { path: directory.to_path_buf(), error: error.into() };
    // Not to be closed when the helper is executed.
    let (own, helpers) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None).map_err(failed)?;
    let mut helper = Command::new(HELPER);
    helper.arg("-o").arg(format!("nosuid,nodev,noexec,default_permissions,fsname={SOURCE},subtype={SOURCE}"));
    helper.arg("--").arg(directory).env("_FUSE_COMMFD", helpers.as_raw_fd().to_string());
    run_helper(&mut helper, directory)?;
    drop(helpers);
    receive_descriptor(&own).map_err(failed)
}

fn run_helper(helper: &mut Command, directory: &Path) -> Result<(), Error> {
    let output = helper.stdin(Stdio::null()).output().map_err(|error| Error::Helper {
        path: directory.to_path_buf(),
        reason: format!("{HELPER}: {error}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr).trim().to_string();
    Err(Error::Helper { path: directory.to_path_buf(), reason })
}

fn receive_descriptor(socket: &OwnedFd) -> Result<OwnedFd, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut messages = control.drain();
    let descriptor = messages.find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    descriptor.ok_or(Errno::PROTO)
}

/// Unmounts what is mounted at a directory, if it is one of ours. Its server then ends.
///
/// # Errors
///
/// Where nothing of ours is mounted, or files there are open.
pub fn unmount(directory: &Path) -> Result<(), Error> {
    let path = mount_table::absolute(directory);
    if !mount_table::is_ours(&path) {
        return Err(Error::NotMounted { path });
    }
    match rustix::mount::unmount(&path, UnmountFlags::NOFOLLOW) {
        Err(Errno::PERM) => run_helper(Command::new(HELPER).arg("-u").arg("--").arg(&path), &path),
        Err(error) => Err(Error::Unmount { path, error: error.into() }),
        Ok(()) => Ok(()),
    }
}

/// Takes a mount of ours away at once; files that are open there stay open as long as they are served.
///
/// # Errors
///
/// Where nothing of ours is mounted.
pub fn detach(directory: &Path) -> Result<(), Error> {
    let path: PathBuf = mount_table::absolute(directory);
    if !mount_table::is_ours(&path) {
        return Err(Error::NotMounted { path });
    }
    match rustix::mount::unmount(&path, UnmountFlags::NOFOLLOW | UnmountFlags::DETACH) {
        Err(Errno::PERM) => run_helper(Command::new(HELPER).args(["-u", "-z", "--"]).arg(&path), &path),
        Err(error) => Err(Error::Unmount { path, error: error.into() }),
        Ok(()) => Ok(()),
    }
}
