//! What can go wrong with probes.

use probe_definition::BadProbe;
use std::path::PathBuf;

/// Why a probe was not defined, or not removed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeFailure {
    /// A definition that is none, or that others exclude.
    #[error(transparent)]
    Bad(#[from] BadProbe),
    /// No probe is meant.
    #[error("{path} has no such probe: `lookback probe --list` shows those that it has")]
    NotFound {
        /// The session.
        path: PathBuf,
    },
    /// One that can't be removed.
    #[error("{event} is enabled, or has triggers: disable it by `lookback set {event} off` before")]
    InUse {
        /// Its event.
        event: String,
    },
}
