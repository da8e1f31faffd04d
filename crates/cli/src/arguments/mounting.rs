//! The tasks that mount the control tree.

use super::Which;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use tracefs_fuse::MountOptions;

/// Mount the control tree of a session: the files of the kernel's tracefs, for shells and scripts.
///
/// It is served in the background until `lookback umount`. Any number of places can show the same session,
/// and the session doesn't end with them. As root everybody may go there whom the modes of the files let,
/// else only the user: then it takes fusermount3, of the package fuse3.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback start && lookback mount /mnt/tracing
  echo libc:openat > /mnt/tracing/set_event
  cat /mnt/tracing/trace_pipe
  lookback umount /mnt/tracing

Programs that look for tracefs themselves, as trace-cmd does, find it by `lookback exec`.")]
pub(crate) struct Mount {
    /// Where: a directory
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Serve in the foreground, until Control-C or `lookback umount`
    #[arg(short, long)]
    pub(crate) foreground: bool,

    /// gid=GID: give all files to this group
    #[arg(short = 'o', value_name = "OPTION", value_parser = option)]
    pub(crate) options: Option<MountOptions>,

    #[command(flatten)]
    pub(crate) which: Which,

    /// Serve as what the task without it has started
    #[arg(long, hide = true)]
    pub(crate) background: bool,
}

/// Take a session's control tree away from where it was mounted.
#[derive(Debug, Args)]
pub(crate) struct Umount {
    /// Where
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

fn option(text: &str) -> Result<MountOptions, String> {
    let gid = text.strip_prefix("gid=").and_then(|gid| gid.parse().ok());
    match gid {
        Some(gid) => Ok(MountOptions { gid: Some(gid) }),
        None => Err("expected gid=NUMBER".to_string()),
    }
}

/// Run a program, or a shell, for which a session is the system's tracefs.
///
/// In a mount namespace of its own the session's control tree lies where the kernel's is: trace-cmd,
/// libtracefs, perf and scripts work on the session, unchanged. That needs no rights: who has none to mount
/// gets a user namespace, too, and stays himself in it. For all others the system's own tracefs stays as it
/// is.
///
/// The program is not recorded; what it runs by `lookback run` is.
#[derive(Debug, Args)]
#[command(override_usage = "lookback exec [OPTIONS] [-- CMD [ARGUMENT]...]")]
#[command(after_help = "\
Examples:
  lookback exec -- trace-cmd list -e libc
  lookback exec -- trace-cmd record -e libc:openat -- lookback run -- make
  lookback exec                     a shell

What lies over the system's files:
  /sys/kernel/tracing, and debug/tracing where it is there: the control tree
  /proc/kallsyms: names for the addresses in events
  /proc/sys/kernel/ftrace_enabled and kptr_restrict: as clients want them
  /proc/mounts, if it has no tracefs: with a line that names the tree
  $TRACEFS_PATH says where the tree is, for perf.")]
pub(crate) struct Exec {
    #[command(flatten)]
    pub(crate) which: Which,

    /// The program to run, and its arguments [default: $SHELL]
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}
