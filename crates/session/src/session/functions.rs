//! Having traced processes bring their code up to date.

use super::Session;
use crate::Error;
use crate::session::Lock;
use crate::this_process::{is_alive, pid_here, pid_namespace};
use control::ProcessInfo;
use std::time::{Duration, Instant};

impl Session {
    /// Whether functions are traced at all: the kernel's sysctl `ftrace_enabled`.
    pub fn is_tracing_functions_allowed(&self) -> bool {
        self.control().may_trace_functions()
    }

    /// Has no function be traced in any process, whatever instances say; or has those traced again that they
    /// say. Traced processes follow: see [`Session::await_functions`].
    pub fn allow_tracing_functions(&self, allow: bool) -> Result<(), Error> {
        let lock = self.lock_settings()?;
        if allow != self.control().may_trace_functions() {
            self.control().allow_functions(allow);
            self.call_for_functions(&lock);
        }
        Ok(())
    }

    /// Says that other functions are to be traced than before, and has every process look when it next makes
    /// a call. For one who has [`Session::lock_settings`].
    pub(crate) fn call_for_functions(&self, _lock: &Lock) {
        self.control().change_functions();
        let is_pending = !self.pending_functions().is_empty();
        self.control().call_processes(is_pending);
    }

    /// Waits until all traced processes trace the functions that are wanted, or for so long: those that do
    /// not yet. They will when they next make a call that is wrapped; one that sleeps does so when it wakes
    /// up.
    ///
    /// Processes without functions that can be traced are not waited for, nor are those whose code can't be
    /// changed.
    pub fn await_functions(&self, most: Duration) -> Vec<ProcessInfo> {
        let start = Instant::now();
        loop {
            let pending = self.pending_functions();
            if pending.is_empty() {
                self.call_no_more();
                return pending;
            }
            if start.elapsed() >= most {
                return pending;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The traced processes that don't trace the functions which are wanted yet, or still trace others, and
    /// will follow.
    pub fn pending_functions(&self) -> Vec<ProcessInfo> {
        self.outdated_functions().into_iter().filter(|process| process.status.may_call()).collect()
    }

    /// All that don't, also those that won't follow, as they may have a filter of system calls.
    pub fn outdated_functions(&self) -> Vec<ProcessInfo> {
        let here = pid_namespace();
        let is_there = |process: &ProcessInfo| process.pid_namespace != here || is_alive(process.pid);
        self.control().outdated_functions().filter(is_there).collect()
    }

    /// The PID by which the calling process knows one of this session. None for one that it doesn't see, as
    /// that is in another pid namespace.
    pub fn pid_here(&self, process: &ProcessInfo) -> Option<u32> {
        pid_here(process.pid, process.pid_namespace)
    }

    /// Calls no process any more, if all that are left have ended without saying so.
    fn call_no_more(&self) {
        if self.control().is_calling()
            && let Ok(_lock) = self.lock_settings()
            && self.pending_functions().is_empty()
        {
            self.control().call_processes(false);
        }
    }
}
