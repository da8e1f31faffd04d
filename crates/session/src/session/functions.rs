//! Having traced processes bring their code up to date.

use super::Session;
use crate::Error;
use crate::own_pid::OwnPid;
use crate::session::Lock;
use crate::this_process::may_run;
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
        self.control().want_system_calls();
        self.control().change_functions();
        let is_pending = !self.pending_functions().is_empty();
        self.control().call_processes(is_pending);
    }

    /// Has traced processes see what these events are about, or no longer, after they were enabled or
    /// disabled: the places of probes, and system calls.
    pub(crate) fn follow_events(&self, events: &[u16], lock: &Lock) {
        if self.control().want_system_calls() || self.are_of_probes(events) {
            self.call_for_functions(lock);
        }
    }

    /// Does so for whatever events were enabled or disabled.
    pub(crate) fn follow_all_events(&self, lock: &Lock) {
        if self.control().want_system_calls() || self.control().has_probes() {
            self.call_for_functions(lock);
        }
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
        self.control().outdated_functions().filter(may_run()).collect()
    }

    /// The PID by which the calling process knows one of this session. None for one that it doesn't see, as
    /// that is in another pid namespace.
    pub fn pid_here(&self, process: &ProcessInfo) -> Option<u32> {
        OwnPid::from(process).here()
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

#[cfg(test)]
mod tests {
    use crate::{Instance, Session, SessionOptions};

    /// Whether system calls are wanted, and how often processes were told to look.
    fn told(instance: &Instance) -> (bool, u32) {
        (instance.control().system_calls_wanted(), instance.control().functions_wanted())
    }

    #[test]
    fn processes_are_told_when_system_calls_are_wanted_and_when_no_longer() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, instances: 1, ..SessionOptions::default() };
        let first = Session::create(&directory.path().join("s"), &options).unwrap();
        first.set(&"libc".parse().unwrap(), true).unwrap();
        assert_eq!(told(&first), (false, 0));
        assert_eq!(first.set(&"syscalls:sys_*_openat".parse().unwrap(), true).unwrap(), 2);
        assert_eq!(told(&first), (true, 1));
        first.enable(&"raw_syscalls:sys_exit if ret < 0".parse().unwrap()).unwrap();
        first.set(&"syscalls".parse().unwrap(), false).unwrap();
        assert_eq!(told(&first), (true, 1), "they still are, by another event");
        first.set(&"@raw_syscalls".parse().unwrap(), false).unwrap();
        assert_eq!(told(&first), (false, 2));
        let read = first.events().find(|event| event.name == "sys_enter_read").unwrap().id;
        first.set_trigger(read, "traceoff").unwrap();
        assert_eq!(told(&first), (true, 3), "a trigger acts whether the event is enabled or not");
        first.set_trigger(read, "!traceoff").unwrap();
        assert_eq!(told(&first), (false, 4));
        let open = first.events().find(|event| event.name == "open").unwrap().id;
        first.set_trigger(open, "enable_event:syscalls:sys_exit_read").unwrap();
        assert_eq!(told(&first), (true, 5), "the event may be enabled by another thread at any time");
        first.set_trigger(open, "!enable_event:syscalls:sys_exit_read").unwrap();
        assert_eq!(told(&first), (false, 6));
        let other = first.session().create_instance("other").unwrap();
        other.set(&"@syscalls:file".parse().unwrap(), true).unwrap();
        assert_eq!(told(&first), (true, 7));
        drop(other);
        first.session().remove_instance("other").unwrap();
        assert_eq!(told(&first), (false, 8));
    }
}
