//! Which processes have which tracepoints with a format.

/// The most uses at a time: of a tracepoint by a process, however often that has it.
pub const TRACEPOINT_USES: usize = 8192;

/// A word that says that a process has a tracepoint; 0 for none.
///
/// ```text
/// bits  0..16   the event's id
/// bits 16..28   the index of the process's entry
/// bits 28..64   the lower bits of the time at which the process started
/// ```
///
/// From 0 to a use and back: by the process. A process that was killed leaves its words: they count no
/// longer, as its entry says that it has ended or describes another. Whoever needs space sets them to 0, by
/// compare-exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracepointUse(pub u64);

impl TracepointUse {
    /// The use of an event by the process with this entry.
    pub const fn of(event: u16, entry: u32, start_time: u64) -> TracepointUse {
        TracepointUse(event as u64 | (entry as u64 & 0xfff) << 16 | start_time << 28)
    }

    /// The event.
    pub const fn event(self) -> u16 {
        self.0 as u16
    }

    /// The index of the process's entry.
    pub const fn entry(self) -> u32 {
        (self.0 >> 16) as u32 & 0xfff
    }
}

const _: () = assert!(super::PROCESSES <= 0x1000);
