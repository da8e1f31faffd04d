//! What a trace doesn't have of its waits.

use super::Waits;
use super::wait_role::WaitRole;
use std::rc::Rc;

impl Waits {
    /// Whether the trace has when threads ran.
    pub fn knows_switches(&self) -> bool {
        self.runs.is_any_known()
    }

    /// How many times off CPU are not counted, because events are missing within, or that of their end.
    pub fn uncertain_switches(&self) -> u64 {
        self.runs.uncertain
    }

    /// How many times off CPU are counted until the thread was woken, as the trace doesn't have when it ran.
    pub fn switches_without_end(&self) -> u64 {
        self.runs.without_end
    }

    /// How many waits are not counted, because events are missing between their starts and their ends.
    pub fn uncertain(&self) -> u64 {
        self.pairing.uncertain() + self.uncertain
    }

    /// How many events of waits were not chosen.
    pub fn passed_over(&self) -> u64 {
        self.pairing.passed_over()
    }

    /// Whether the trace has waits for locks, but not who held them.
    pub fn lack_holders(&self) -> bool {
        self.locks.lack_releases()
    }

    /// Whether the trace has waits for locks, if there were any: by themselves or by calls on locks.
    pub fn knows_locks(&self) -> bool {
        let is_of_lock = |role: &Rc<WaitRole>| match &**role {
            WaitRole::Entry(call) => call.wait.as_ref().is_some_and(|(kind, _)| kind.is_lock()),
            _ => false,
        };
        self.knows_contention == Some(true) || self.roles.values().any(is_of_lock)
    }
}
