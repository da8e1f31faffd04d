//! Processes that run already while they are recorded.

use crate::attach::{NamedProcess, attach_process, detach_process};
use crate::failure::{Done, Failure};
use crate::say::say;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use session::Instance;
use std::fs::{File, read_dir};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often it is looked whether somebody wants the recording to end, and progress can be reported.
const TICK: Duration = Duration::from_millis(100);

/// Processes that are attached. When this goes they are detached.
#[derive(Debug)]
pub(super) struct AttachedProcesses<'a> {
    session: &'a Instance,
    attached: Vec<(NamedProcess, OwnedFd)>,
    is_complete: bool,
}

impl<'a> AttachedProcesses<'a> {
    /// Attaches processes to a session, until somebody wants that to stop; before that their threads are
    /// written to `entrances`. Those that can't be attached are named, with the reason. Errors: none can.
    pub(super) fn attach(
        session: &'a Instance,
        processes: &[NamedProcess],
        (entrances, stop): (&[File], &AtomicBool),
    ) -> Done<AttachedProcesses<'a>> {
        let mut all = AttachedProcesses { session, attached: Vec::new(), is_complete: true };
        for process in processes.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
            entrances.iter().for_each(|entrance| enter(entrance, process.pid));
            if let Err(why) = all.add(process) {
                all.is_complete = false;
                say!("lookback: {process} was not attached: {}", why.message());
            }
        }
        match all.attached.is_empty() {
            true => Err(Failure::failed("no process could be attached: nothing was recorded")),
            false => Ok(all),
        }
    }

    fn add(&mut self, process: &NamedProcess) -> Done<()> {
        let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| Failure::failed("it has ended"))?;
        let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(std::io::Error::from);
        let handle = handle.map_err(Failure::failed)?;
        attach_process(self.session, process)?;
        self.attached.push((process.clone(), handle));
        Ok(())
    }

    /// Whether all could be attached.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Waits until all have ended, somebody wants it to stop, or it has taken so long. Calls `tell` with the
    /// time that has passed now and then.
    pub(super) fn wait(
        &self,
        stop: &AtomicBool,
        most: Option<Duration>,
        mut tell: impl FnMut(Duration),
    ) -> Done<()> {
        let started = Instant::now();
        loop {
            let passed = started.elapsed();
            let left = most.map_or(TICK, |most| most.saturating_sub(passed).min(TICK));
            let is_over = stop.load(Ordering::Relaxed) || left.is_zero();
            if is_over || self.attached.iter().all(|(_, handle)| has_ended(handle)) {
                return Ok(());
            }
            self.await_end(left);
            tell(started.elapsed());
        }
    }

    /// Waits until one of those that run ends, or for so long.
    fn await_end(&self, most: Duration) {
        let most = Timespec { tv_sec: 0, tv_nsec: most.as_nanos() as i64 };
        let running = self.attached.iter().filter(|(_, handle)| !has_ended(handle));
        let mut handles: Vec<_> = running.map(|(_, handle)| PollFd::new(handle, PollFlags::IN)).collect();
        // An interruption by a signal is as good as the end of a tick.
        let _ = poll(&mut handles, Some(&most));
    }

    /// Detaches those that run still, and says which can't be: they go on writing where nobody reads.
    pub(super) fn detach(mut self) {
        self.detach_all();
    }

    fn detach_all(&mut self) {
        for (process, handle) in self.attached.drain(..) {
            if let Err(why) = detach_process(self.session, &process)
                && !has_ended(&handle)
            {
                say!("lookback: {process} was not detached: {}", why.message());
            }
        }
    }
}

impl Drop for AttachedProcesses<'_> {
    fn drop(&mut self) {
        self.detach_all();
    }
}

fn has_ended(handle: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&now)).is_ok_and(|count| count > 0)
}

/// Writes all threads of a process to a PID filter: those that they make are added to it by the kernel.
fn enter(mut entrance: &File, pid: u32) {
    let threads = read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    for thread in threads.filter_map(|entry| entry.file_name().into_string().ok()) {
        // It may have ended meanwhile.
        let _ = entrance.write(thread.as_bytes());
    }
}
