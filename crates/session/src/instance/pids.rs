//! PID filters: whose events alone are recorded in an instance, or alone are not; and whose functions are
//! traced there.
//!
//! They are the kernel's `set_event_pid` and `set_event_notrace_pid`, `set_ftrace_pid` and
//! `set_ftrace_notrace_pid`, and are looked at in the traced process before anything else. With the options
//! `event-fork` and `function-fork` children of those in a list are in it too, and who ends is not; that is
//! up to the traced processes.

use crate::session::c_path;
use crate::{Error, Instance};
use abi::control::{TIDS, TIDS_IN_PART};
use control::{Filtered, NoPages, PidFilter};

impl Instance {
    /// The numbers in a list of this instance, sorted.
    pub fn pids(&self, filter: PidFilter) -> Vec<u32> {
        let mut pids = Vec::new();
        self.control().visit_pids(self.index, filter, |pid| pids.push(pid));
        pids
    }

    /// Whether there is a list, which may be empty.
    pub fn has_pids(&self, filter: PidFilter) -> bool {
        self.control().has_pids(self.index, filter)
    }

    /// Adds numbers to a list, which there is from then on, in all traced processes at once. After an error
    /// nothing has changed.
    pub fn add_pids(&self, filter: PidFilter, pids: &[u32]) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.add_pids_locked(filter, pids)
    }

    /// Gives a new instance the lists of another, for one who has [`crate::Session::lock_settings`].
    pub(crate) fn take_pids(&self, other: &Instance) -> Result<(), Error> {
        for filtered in Filtered::ALL {
            self.control().follow_forks(self.index, filtered, other.follows_forks(filtered));
        }
        let there = |filter: &PidFilter| other.has_pids(*filter);
        let mut lists = PidFilter::ALL.into_iter().filter(there);
        lists.try_for_each(|filter| self.add_pids_locked(filter, &other.pids(filter)))
    }

    fn add_pids_locked(&self, filter: PidFilter, pids: &[u32]) -> Result<(), Error> {
        let mut pids = pids.to_vec();
        pids.sort_unstable();
        pids.dedup();
        self.reserve_pids(filter, pids.iter().copied())?;
        if self.follows_forks(filter.filtered()) {
            self.reserve_pids(filter, children())?;
        }
        let added = self.control().add_pids(self.index, filter, &pids);
        if added { Ok(()) } else { Err(Error::TooManyPids) }
    }

    /// Takes a list away.
    pub fn clear_pids(&self, filter: PidFilter) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.control().clear_pids(self.index, filter);
        Ok(())
    }

    /// Whether its lists follow forks and exits.
    pub(crate) fn follows_forks(&self, filtered: Filtered) -> bool {
        self.control().follows_forks(self.index, filtered)
    }

    /// Has its lists do so. Takes memory for all children that there can be.
    pub(crate) fn follow_forks(&self, filtered: Filtered, follow: bool) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let there = |filter: &PidFilter| filter.filtered() == filtered && self.has_pids(*filter);
        if follow {
            PidFilter::ALL
                .into_iter()
                .filter(there)
                .try_for_each(|filter| self.reserve_pids(filter, children()))?;
        }
        self.control().follow_forks(self.index, filtered, follow);
        Ok(())
    }

    fn reserve_pids(&self, filter: PidFilter, tids: impl Iterator<Item = u32>) -> Result<(), Error> {
        let reserved = self.control().reserve_pids(&c_path(&self.file())?, self.index, filter, tids);
        reserved.map_err(|error| match error {
            NoPages::AllUsed => Error::TooManyPids,
            NoPages::System(error) => Error::errno(self.file(), error),
        })
    }
}

/// A TID for each part of a list that a child's can be in.
fn children() -> impl Iterator<Item = u32> {
    let most = std::fs::read_to_string("/proc/sys/kernel/pid_max").ok();
    let most = most.and_then(|text| text.trim().parse().ok()).unwrap_or(TIDS);
    (0..most.min(TIDS) as u32).step_by(TIDS_IN_PART)
}
