//! The tables of a session that can be full.

/// The tables that can be full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Table {
    /// Threads: their events have no name.
    Tasks = 0,
    /// Processes: addresses in them have no symbols.
    Processes = 1,
    /// Mapped files: addresses in them have no symbols.
    Objects = 2,
    /// Events: they are not recorded.
    Events = 3,
    /// Threads that are just starting, which each process has a table of: their starts are not recorded, and
    /// they follow nobody.
    Starts = 4,
}
