//! The thread that writes.

use rseq::Area;

/// The thread that writes an event.
#[derive(Debug, Clone, Copy)]
pub struct WriterThread {
    /// The calling thread's rseq area; None to write to a lane.
    pub area: Option<Area>,
    /// The thread id and the pid namespace that it counts in, for whoever finds a lane that the thread has
    /// abandoned. Never 0.
    pub identity: u64,
}
