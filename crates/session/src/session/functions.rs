//! Having traced processes bring their code up to date.

use super::Session;
use crate::session::Lock;
use crate::this_process::is_alive;
use control::ProcessInfo;
use std::time::{Duration, Instant};

impl Session {
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
    /// Processes without functions that can be traced are not waited for.
    pub fn await_functions(&self, most: Duration) -> Vec<ProcessInfo> {
        let start = Instant::now();
        loop {
            let pending = self.pending_functions();
            if pending.is_empty() || start.elapsed() >= most {
                return pending;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The traced processes that don't trace the functions which are wanted yet, or still trace others.
    pub fn pending_functions(&self) -> Vec<ProcessInfo> {
        self.control().pending_functions().filter(|process| is_alive(process.pid)).collect()
    }
}
