//! A mount namespace of our own, with a user namespace where that is needed to have one.

use crate::failure::{Done, Failure};
use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{getegid, geteuid};
use std::fs::write;
use std::io::Error;

/// Enters one. What is mounted from here on nobody else sees.
pub(super) fn enter() -> Done<()> {
    match launch::leave_mounts(false) {
        Err(error) if error.raw_os_error() == Some(Errno::PERM.raw_os_error()) => enter_as_user()?,
        done => done.map_err(Failure::failed)?,
    }
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(|error| denied(&error.into()))
}

/// Enters a user namespace, in which everything is as before but for the right to mount.
fn enter_as_user() -> Done<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    launch::leave_mounts(true)
        .and_then(|()| write("/proc/self/setgroups", "deny"))
        .and_then(|()| write("/proc/self/uid_map", format!("{user} {user} 1")))
        .and_then(|()| write("/proc/self/gid_map", format!("{group} {group} 1")))
        .map_err(|error| denied(&error))
}

/// What the system says, and what can be done.
fn denied(error: &Error) -> Failure {
    let setting = |name: &str| std::fs::read_to_string(format!("/proc/sys/{name}")).unwrap_or_default();
    let reason = if setting("kernel/apparmor_restrict_unprivileged_userns").trim() == "1" {
        "AppArmor forbids it: `sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows it"
    } else if setting("kernel/unprivileged_userns_clone").trim() == "0" {
        "`sysctl kernel.unprivileged_userns_clone=1` allows it"
    } else if setting("user/max_user_namespaces").trim() == "0" {
        "`sysctl user.max_user_namespaces=15000` allows it"
    } else {
        "the container or its seccomp filter may forbid it"
    };
    Failure::failed(format_args!(
        "no user namespace: {error}; {reason}. Root and `lookback mount DIR` need none"
    ))
}
