//! Ways in which a load is watched.

use crate::lttng;
use crate::program::is_installed;
use crate::tracefs::KernelInstance;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// One of the ways.
#[derive(Debug)]
pub(super) enum Way {
    /// Not at all.
    Untraced,
    /// With the default events, in a session that overwrites the oldest.
    Traced {
        /// What the program's environment gets.
        environment: String,
    },
    /// With the kernel's own events of system calls.
    Kernel,
    /// By LTTng, with the events of its objects around libc, in a session like ours.
    Lttng {
        /// What has a command recorded.
        recorded: String,
    },
    /// By strace, which writes what it sees.
    Strace,
}

impl Way {
    /// All of them: untraced, ours with an agent and a session, the kernel's, others. `programs` is where a
    /// [`ProgramDirectory`](crate::program::ProgramDirectory) is.
    pub(super) fn all((agent, session): (&Path, &Path), programs: &Path) -> [Way; 5] {
        let recorded = lttng::recorded(programs, "memory", "lttng_ust_libc:*,lttng_ust_pthread:*");
        [Way::Untraced, Way::traced(agent, session), Way::Kernel, Way::Lttng { recorded }, Way::Strace]
    }

    /// Ours, with an agent and a session.
    pub(super) fn traced(agent: &Path, session: &Path) -> Way {
        let (agent, session) = (agent.display(), session.display());
        Way::Traced { environment: format!("export LD_PRELOAD={agent} LOOKBACK_SESSION={session};") }
    }

    /// Whether it makes a load take many times as long.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self, Way::Strace)
    }

    /// Why it can't be had, if so.
    pub(super) fn is_usable(&self) -> Result<(), String> {
        match self {
            Way::Kernel => KernelInstance::new().map(drop),
            Way::Lttng { .. } => lttng::is_there(),
            Way::Strace if !is_installed("strace") => Err("strace is not installed".to_owned()),
            _ => Ok(()),
        }
    }

    /// A script that does `work` in this way. What is to be measured begins with `join`: not the servers that
    /// it may need.
    pub(super) fn script(&self, join: &str, work: &str) -> String {
        match self {
            Way::Traced { environment } => {
                format!("{join}; {environment} exec /bin/sh -c {}", quoted(work))
            }
            Way::Strace if self.is_usable().is_ok() => {
                format!("{join}; exec strace -f -o /dev/null /bin/sh -c {}", quoted(work))
            }
            Way::Lttng { recorded } if self.is_usable().is_ok() => {
                let preload = "LD_PRELOAD=liblttng-ust-libc-wrapper.so:liblttng-ust-pthread-wrapper.so";
                let work = format!("{join}; {preload} exec /bin/sh -c {}", quoted(work));
                format!("{recorded} /bin/sh -c {}", quoted(&work))
            }
            _ => format!("{join}; exec /bin/sh -c {}", quoted(work)),
        }
    }

    /// Begins to watch, until what is returned is dropped.
    pub(super) fn prepare(&self) -> Result<Option<KernelRecording>, String> {
        match self {
            Way::Kernel => Ok(KernelInstance::new().ok().map(KernelRecording::start).transpose()?),
            _ => Ok(None),
        }
    }
}

fn quoted(script: &str) -> String {
    format!("'{}'", script.replace('\'', "'\\''"))
}

/// The kernel's `raw_syscalls`, recorded into an instance of its own.
pub(super) struct KernelRecording {
    instance: KernelInstance,
}

impl KernelRecording {
    fn start(instance: KernelInstance) -> Result<KernelRecording, String> {
        let recording = KernelRecording { instance };
        recording.set("buffer_size_kb", "4096")?;
        recording.set("events/raw_syscalls/enable", "1")?;
        Ok(recording)
    }

    fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let mut file = self.instance.open(name, File::options().write(true))?;
        file.write_all(value.as_bytes()).map_err(|error| format!("{name}: {error}"))
    }
}

impl Drop for KernelRecording {
    fn drop(&mut self) {
        let _ = self.set("events/raw_syscalls/enable", "0");
    }
}
