//! `lookback attach` and `detach`: programs that run already.

use super::SessionArguments;
use clap::Args;

/// Attach programs that run already to a persistent session.
///
/// One thread of the program is stopped for about a millisecond, and made to load lookback's agent; the
/// others run on. From then on the program's calls into libc are recorded, and its functions can be traced,
/// as if it had been started by `lookback run`. Nothing of it is changed but the addresses by which it calls
/// libc: its code stays as it is. That needs the right to trace it (ptrace), and glibc 2.34 or newer.
///
/// A thread is chosen that holds no lock of libc's, and what it sleeps in goes on where it was, with the time
/// that was left. If none can be found within three seconds, or the program can't take it, it is left
/// unharmed, and the reason is printed.
///
/// What the program has looked up before is not seen: functions whose addresses it has stored itself, and
/// handlers of signals that it has set. Children that it forks are recorded; programs that it executes are
/// not.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback start && lookback attach 4711
  lookback attach redis-server      the process of this name
  lookback attach --all nginx       all processes of this name
  lookback attach --service nginx   all of a unit of systemd's
  lookback attach --all-of-user     all of one's own
  lookback show -p                  what they do, as it happens

Exit status:
  0    all are attached
  125  one is not; those that could be are")]
pub(crate) struct AttachArguments {
    #[command(flatten)]
    pub(crate) meant: MeantArguments,

    #[command(flatten)]
    pub(crate) which: SessionArguments,
}

/// Detach programs that `lookback attach` has attached.
///
/// The addresses by which a program calls libc become those of libc again, traced functions get their own
/// code back, and handlers of signals those of the program's. One thread is stopped for that, as by attach.
/// The agent stays mapped, as threads may be in it, and the session's memory too if that can't be ruled out;
/// recorded events stay. `lookback attach` attaches the program again, to this session or another one.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback detach redis-server
  lookback detach --all nginx
  lookback detach --all-of-user=www-data

Exit status:
  0    all are detached
  125  one is not; those that could be are")]
pub(crate) struct DetachArguments {
    #[command(flatten)]
    pub(crate) meant: MeantArguments,

    #[command(flatten)]
    pub(crate) which: SessionArguments,
}

/// Which processes are meant.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct MeantArguments {
    /// The processes: a PID; or the name of a program, as ps shows it or as its file is called
    #[arg(value_name = "PID|NAME")]
    pub(crate) processes: Vec<String>,

    /// All processes of a name, where there are several
    #[arg(short, long, requires = "processes")]
    pub(crate) all: bool,

    /// All processes of a user, given by name or number [default: the user who runs lookback]
    #[arg(long, value_name = "USER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) all_of_user: Option<String>,

    /// All processes of this control group and of those in it: a path as in /proc/PID/cgroup, or a directory
    /// in /sys/fs/cgroup
    #[arg(long, value_name = "PATH")]
    pub(crate) cgroup: Option<String>,

    /// All processes of this service of systemd's; without a suffix, .service
    #[arg(long, value_name = "UNIT")]
    pub(crate) service: Option<String>,
}
