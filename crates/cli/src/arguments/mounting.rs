//! The tasks that mount the control tree.

use super::SessionArguments;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use tracefs_fuse::MountOptions;

/// Mount the control tree of a session at a directory.
///
/// It has the files of the kernel's tracefs, for shells and scripts. A process in the background serves it
/// until `lookback umount`. A session can be mounted at several directories at once, and stays when they are
/// unmounted. If root mounts it, all users may use it as far as the modes of the files permit. Other users
/// mount it by fusermount3, of the package fuse3, and only for themselves.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback start && lookback mount /mnt/tracing
  echo libc:openat > /mnt/tracing/set_event
  cat /mnt/tracing/trace_pipe
  lookback umount /mnt/tracing

Programs that find tracefs by themselves, as trace-cmd does, are run by
`lookback exec`.")]
pub(crate) struct MountArguments {
    /// The directory to mount it at
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Serve in the foreground, until Control-C or `lookback umount`
    #[arg(short, long)]
    pub(crate) foreground: bool,

    /// gid=GID: give all files to this group
    #[arg(short = 'o', value_name = "OPTION", value_parser = option)]
    pub(crate) options: Option<MountOptions>,

    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// Serve in the background process that `mount` has started
    #[arg(long, hide = true)]
    pub(crate) background: bool,
}

fn option(text: &str) -> Result<MountOptions, String> {
    let gid = text.strip_prefix("gid=").and_then(|gid| gid.parse().ok());
    match gid {
        Some(gid) => Ok(MountOptions { gid: Some(gid) }),
        None => Err("expected gid=NUMBER".to_string()),
    }
}

/// Run a program that sees a session as the system's tracefs.
///
/// The program runs in a mount namespace of its own, in which the session's control tree is mounted over the
/// kernel's tracefs: trace-cmd, libtracefs, perf and scripts work on the session, unchanged. No privileges
/// are needed: a user who may not mount gets a user namespace as well, with his own user id. Other processes
/// still see the system's tracefs.
///
/// The program is recorded, and so are all that it starts, as under `lookback run`: what trace-cmd runs is in
/// its recording. What a process does after it has read a file of the tree is not recorded, so that no client
/// reads about itself; programs that it executes are. `lookback list` shows who is left out.
#[derive(Debug, Args)]
#[command(override_usage = "lookback exec [OPTIONS] [-- CMD [ARGUMENT]...]")]
#[command(after_long_help = "\
Examples:
  lookback exec -- trace-cmd list -e libc
  lookback exec -- trace-cmd record -e libc:open make
  lookback exec                     a shell

Files that are replaced:
  /sys/kernel/tracing, and debug/tracing if it exists: the control tree
  /proc/kallsyms: names for the addresses in events
  /proc/sys/kernel/ftrace_enabled and kptr_restrict: what clients need there
  /proc/mounts, if it has no tracefs: with a line that names the tree
  $TRACEFS_PATH says where the tree is, for perf.")]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// The program to run, and its arguments [default: $SHELL]
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}
