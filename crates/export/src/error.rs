//! Why records can't be written.

/// Why records can't be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The output can't be written to.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A trace.dat file can't be written.
    #[error(transparent)]
    Dat(#[from] trace_data::dat::Error),
    /// A record is of a CPU that the output has no place for.
    #[error("a record is of CPU {0}, which the file doesn't have")]
    UnknownCpu(u32),
    /// The trace has nothing of what was asked for.
    #[error("{0}")]
    Nothing(String),
}
