//! Why records can't be written.

/// Why records can't be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The output can't be written to.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
