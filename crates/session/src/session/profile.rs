//! The profile of functions: how often they are called, and how long they take, on each CPU.
//!
//! It goes by the lists of functions that the control tree's top level has, and its option `graph-time`. What
//! was counted stays until it is enabled again, also of processes that are gone.

use super::{Session, c_path};
use crate::Error;
use control::ProfiledFunction;

/// What was counted on a CPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuProfile {
    /// The functions that were called, in no order.
    pub functions: Vec<ProfiledFunction>,
    /// Calls that were not counted, as there was no space for the function, or for the call.
    pub not_counted: u64,
    /// Calls on all CPUs together that have no tables: those that nobody could run on when the session was
    /// made.
    pub elsewhere: u64,
}

impl Session {
    /// Whether calls of functions are counted.
    pub fn is_profiling(&self) -> bool {
        self.control().is_profiling()
    }

    /// Has them counted from now on, from 0, or no longer. Traced processes follow: see
    /// [`Session::await_functions`].
    ///
    /// Takes memory for the tables, 512 KiB for each of some CPUs, when they are first needed: a system
    /// error where there is none.
    pub(crate) fn profile_on(&self, cpus: impl Iterator<Item = u32> + Clone, on: bool) -> Result<(), Error> {
        let lock = self.lock_settings()?;
        if on == self.is_profiling() {
            return Ok(());
        }
        if on {
            self.map_profile();
            let cleared = self.control().clear_profile(&c_path(&self.file())?, cpus);
            cleared.map_err(|error| Error::errno(self.file(), error))?;
        }
        self.control().switch_profile(on);
        self.call_for_functions(&lock);
        Ok(())
    }

    /// What was counted on a CPU since the profile was last enabled.
    pub fn profile(&self, cpu: u32) -> CpuProfile {
        if self.control().profile_generation() == 0 {
            return CpuProfile::default();
        }
        self.map_profile();
        CpuProfile {
            functions: self.control().profiled_functions(cpu).collect(),
            not_counted: self.control().not_counted_calls(cpu),
            elsewhere: self.control().calls_elsewhere(),
        }
    }

    /// Maps it, unless that was done. Nothing is counted, or read, where it can't be.
    fn map_profile(&self) {
        self.control().map_profile(self.layout.profile());
    }
}
