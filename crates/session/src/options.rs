//! What session is wanted.

use crate::{DEFAULT_KB, Tsc};
use abi::clock::TraceClock;

/// What session is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOptions {
    /// KB of buffer for each CPU.
    pub buffer_kb: u64,
    /// Whether full buffers overwrite their oldest events.
    pub overwrite: bool,
    /// The clock in which times are shown.
    pub clock: TraceClock,
    /// What to take the time stamp counter for.
    pub tsc: Tsc,
    /// How many snapshots can be kept. Each takes as much memory as the buffers, from when it is first
    /// wanted.
    pub snapshots: u32,
    /// How many instances can be made in it, at most [`crate::MOST_INSTANCES`]; with any, the control tree's
    /// top level can become one of its own, too. Each takes as many addresses in every process as the
    /// recording's buffer, and memory when it is made.
    pub instances: u32,
    /// The group whose members may use the session; without one its owner alone.
    pub group: Option<u32>,
}

impl Default for SessionOptions {
    /// Buffers that overwrite, times of `mono`, and the counter as the kernel has found it.
    fn default() -> SessionOptions {
        let (clock, tsc) = (TraceClock::Mono, Tsc::of_this_machine());
        SessionOptions {
            buffer_kb: DEFAULT_KB,
            overwrite: true,
            clock,
            tsc,
            snapshots: 0,
            instances: 0,
            group: None,
        }
    }
}
